/** Cuts the sound of a source into its frames: a unit of others may hold several, and some end in the next one. */
import { SOUND_HEADER_BYTES, soundFrame } from '../codecs/sound-lengths.ts';
import { TICKS_PER_SECOND } from './mpeg-ts.ts';

export class SoundFramer {
  private readonly streamType: number;
  private readonly onFrame: (frame: Buffer, pts: number) => void;
  /** The beginning of a frame, and its time. */
  private rest: Buffer = Buffer.alloc(0);
  private restPts: number | undefined;
  /** Units in a row that nothing was found in. */
  strange = 0;

  constructor(streamType: number, onFrame: (frame: Buffer, pts: number) => void) {
    this.streamType = streamType;
    this.onFrame = onFrame;
  }

  /**
   * `pts` is of the first frame that begins in `unit`; without it time goes on. Nothing is given out before the first time, and times may be
   * past a wrap.
   */
  push(unit: Buffer, pts: number | undefined): void {
    if (pts === undefined && this.restPts === undefined) return;
    const before = this.rest.length;
    const data = before === 0 ? unit : Buffer.concat([this.rest, unit]);
    let [at, time, isOwn, found] = [0, this.restPts ?? pts!, pts === undefined, 0];
    while (at + SOUND_HEADER_BYTES <= data.length) {
      if (!isOwn && at >= before) [time, isOwn] = [pts!, true];
      const frame = soundFrame(this.streamType, data, at);
      if (frame === undefined) {
        at = this.next(data, at + 1);
        continue;
      }
      if (at + frame.bytes > data.length) break;
      this.onFrame(data.subarray(at, at + frame.bytes), Math.round(time));
      found += 1;
      at += frame.bytes;
      time += frame.seconds * TICKS_PER_SECOND;
    }
    this.rest = Buffer.from(data.subarray(at));
    this.restPts = isOwn || at < before ? time : pts!;
    this.strange = found > 0 ? 0 : this.strange + 1;
  }

  /** Returns where the next frame begins; another one, or the end, has to follow it. */
  private next(data: Buffer, from: number): number {
    for (let at = from; at + SOUND_HEADER_BYTES <= data.length; at += 1) {
      const frame = soundFrame(this.streamType, data, at);
      if (frame === undefined) continue;
      const end = at + frame.bytes;
      const isFollowed =
        end + SOUND_HEADER_BYTES <= data.length && soundFrame(this.streamType, data, end) !== undefined;
      if (isFollowed || end === data.length) return at;
    }
    return data.length;
  }
}
