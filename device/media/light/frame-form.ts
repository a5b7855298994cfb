/** The form of the frames of a raw programme: their size, the bits of a sample, and their light. */
import type { Light } from '../../../domain/shapes/encodings/light.ts';

/** As ffmpeg calls them; samples of ten bits take two bytes each, the lower one first. */
export type Samples = 'yuv420p' | 'yuv420p10le';

export interface FrameForm {
  width: number;
  height: number;
  /** Left out: of eight bits. */
  samples?: Samples;
  /** Left out: SDR. */
  light?: Light;
}

/** Values of eight bits are multiplied by this. */
export function scaleOf({ samples }: FrameForm): 1 | 4 {
  return samples === 'yuv420p10le' ? 4 : 1;
}

/** Bytes of a frame in 4:2:0: pools, pipes and buffers go by it. */
export function frameBytes(form: FrameForm): number {
  const samples = (form.width * form.height * 3) / 2;
  return scaleOf(form) === 1 ? samples : 2 * samples;
}

/** Returns the samples of a frame, which begins at an even address: frames are no parts of others. */
export function samplesIn(frame: Uint8Array, form: FrameForm): Uint8Array | Uint16Array {
  return scaleOf(form) === 1 ? frame : new Uint16Array(frame.buffer, frame.byteOffset, frame.byteLength >> 1);
}
