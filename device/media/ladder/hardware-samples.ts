/** Samples as encoders in hardware take them. */
import { isTenBit, type HardwareKind } from '../../../domain/shapes/encodings/hardware.ts';
import type { VideoRendition } from './ladder-plan.ts';

/** The value of the filter `format`, and for vaapi the way of the frames to the card behind it. */
export function hardwareSamples(kind: HardwareKind, settings: VideoRendition): string {
  const samples = isTenBit(settings) ? 'p010le' : 'nv12';
  return kind === 'vaapi' ? `${samples},hwupload` : samples;
}
