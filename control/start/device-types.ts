/** The type of a Device decides which starts it gets, and when. */
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { Bindings } from './bindings.ts';

type Typed = Pick<Device, 'type'>;

/** Continues a sentence that begins with the Device's name; undefined where it may take the start. */
export function typeRefusal({ type }: Typed, { encodings }: Pick<Bindings, 'encodings'>): string | undefined {
  const encoded = encodings.find(
    ({ settings_video: video, settings_audio: audio }) =>
      (video.active && video.codec !== 'copy') || (audio.active && audio.codec !== 'copy'),
  );
  if (type !== 'relay' || encoded === undefined) return undefined;
  return `is a relay, which takes only what is copied, and Encoding "${encoded.name}" is encoded`;
}

/** A Device of a cloud costs money that those on site do not, so that it is taken once none of them has room. */
export function lastResort({ type }: Typed): 0 | 1 {
  return type === 'cloud' ? 1 : 0;
}
