/** One stream of a source on its way: its units are put together, pictures are looked at and sound is cut into frames. */
import { DELIMITERS, pictureUnit } from '../codecs/picture-unit.ts';
import { soundHeader } from './pes-header.ts';
import { SoundFramer } from './sound-framer.ts';
import { AC3, type ChosenStream } from './stream-choice.ts';
import { UnitJoiner, type JoinedUnit, type UnitHooks } from './unit-joiner.ts';

/** A picture or a frame of sound, good until the next one comes. */
export interface TrackUnit {
  /** As it goes on. */
  pid: number;
  isPicture: boolean;
  isKey: boolean;
  /** The header and what follows it. */
  parts: Buffer[];
  /** The source's own times. */
  pts: number;
  dts: number;
}

export interface TrackHooks extends Pick<UnitHooks, 'onUnfit'> {
  onUnit(unit: TrackUnit): void;
}

/** Sound of some seconds: damage on the line is over by then. */
const MAX_STRANGE_UNITS = 50;
const MAX_LENGTH = 0xffff;
/** stream_id, ISO/IEC 13818-1 table 2-22. */
const [SOUND_STREAM, PRIVATE_STREAM] = [0xc0, 0xbd];
const PTS_WRAP = 2 ** 33;

export class SourceTrack {
  readonly chosen: ChosenStream;
  private readonly hooks: TrackHooks;
  private readonly joiner: UnitJoiner;
  private readonly framer: SoundFramer;

  constructor(chosen: ChosenStream, hooks: TrackHooks) {
    this.chosen = chosen;
    this.hooks = hooks;
    const { isPicture, to } = chosen;
    this.joiner = new UnitJoiner(isPicture, {
      onUnit: (unit) => (isPicture ? this.takePicture(unit) : this.takeSound(unit)),
      onUnfit: (why) => hooks.onUnfit(why),
    });
    this.framer = new SoundFramer(to.type, (frame, pts) => this.giveSound(frame, pts % PTS_WRAP));
  }

  /** Places where packets were missing. */
  get holes(): number {
    return this.joiner.holes;
  }

  push(data: Buffer, at: number): void {
    this.joiner.push(data, at);
  }

  finish(): void {
    this.joiner.finish();
  }

  private takePicture({ header, pes, isMarked }: JoinedUnit): void {
    if (header.pts === undefined) return;
    const { pid, type } = this.chosen.to;
    const picture = pes.subarray(header.bytes);
    const { isKey, hasDelimiter } = pictureUnit(type, picture, isMarked);
    const parts = [pes.subarray(0, header.bytes), picture];
    // Players of HLS know by it where a picture begins.
    if (!hasDelimiter) parts.splice(1, 0, DELIMITERS[type]!);
    const length = parts.reduce((sum, part) => sum + part.length, -6);
    pes.writeUInt16BE(length > MAX_LENGTH ? 0 : length, 4);
    const { pts } = header;
    this.hooks.onUnit({ pid, isPicture: true, isKey, parts, pts, dts: header.dts ?? pts });
  }

  private takeSound({ header, pes }: JoinedUnit): void {
    this.framer.push(pes.subarray(header.bytes), header.pts);
    if (this.framer.strange > MAX_STRANGE_UNITS) this.hooks.onUnfit('its sound has no frames that are known here');
  }

  private giveSound(frame: Buffer, pts: number): void {
    const { pid, type } = this.chosen.to;
    const parts = [soundHeader(type === AC3 ? PRIVATE_STREAM : SOUND_STREAM, frame.length, pts), frame];
    this.hooks.onUnit({ pid, isPicture: false, isKey: true, parts, pts, dts: pts });
  }
}
