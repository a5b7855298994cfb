/** The instant at which media was made, in the media itself: ISO/IEC 14496-12 §8.16.5. */
import { fullBox } from './fmp4-box.ts';

/** Seconds from the epoch of NTP, 1900, to that of Unix. */
const NTP_OFFSET_SECONDS = 2_208_988_800;
/** The encoder put the frame out at that time. */
const ENCODER_OUTPUT = 1;

/** `mediaTime` is in ticks of the track, `wallMs` in milliseconds since 1970. */
export function producerTime(trackId: number, mediaTime: number, wallMs: number): Buffer {
  const body = Buffer.alloc(20);
  body.writeUInt32BE(trackId, 0);
  const seconds = Math.floor(wallMs / 1000);
  // The era of NTP ends in 2036, and begins anew at 0.
  body.writeUInt32BE((seconds + NTP_OFFSET_SECONDS) % 2 ** 32, 4);
  body.writeUInt32BE(Math.floor((wallMs / 1000 - seconds) * 2 ** 32), 8);
  body.writeBigUInt64BE(BigInt(Math.max(0, Math.round(mediaTime))), 12);
  return fullBox('prft', 1, ENCODER_OUTPUT, body);
}
