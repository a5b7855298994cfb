/**
 * Writes one track of a transport stream as fragmented MP4: H.264, HEVC, AAC, MP3 or Opus. Fragments begin with each keyframe, and before that where they
 * would last too long.
 */
import { nalUnits, lengthOf } from '../codecs/annex-b.ts';
import { avcConfiguration } from '../codecs/avc-configuration.ts';
import { videoFacts } from '../codecs/codec-string.ts';
import { hevcConfiguration } from '../codecs/hevc-configuration.ts';
import { avcUsability, hevcUsability, type Usability } from '../codecs/usability.ts';
import { fragmentOf } from '../fmp4/fmp4-join.ts';
import type { Fmp4Event, MediaFragment, Sample, TrackInit } from '../fmp4/fmp4-parser.ts';
import { PICTURE_TIMESCALE, pictureInit, soundInit, type SoundLabel } from '../fmp4/track-init.ts';
import { MAX_BUFFERED_BYTES } from '../ladder/ladder-plan.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import { PesJoiner, type PesPackets, type PesUnit } from '../mpeg-ts/pes-joiner.ts';
import { soundSamples, type Announced, type SoundSample } from './sound-samples.ts';
import { NotRead, TYPES } from './track.ts';

/** NAL units as both codecs number them. */
interface NalForm {
  entry: 'avc1' | 'hvc1';
  typeOf(nal: Buffer): number;
  /** Parameter sets that a configuration needs, the sequence's at `sequence`. */
  sets: readonly number[];
  sequence: number;
  delimiter: number;
  configuration(sets: readonly Buffer[]): Buffer;
  usability(sequence: Buffer): Usability;
}

const NAL_FORMS: Readonly<Record<number, NalForm>> = {
  [TYPES.avc]: {
    entry: 'avc1',
    typeOf: (nal) => nal[0]! & 0x1f,
    sets: [7, 8],
    sequence: 7,
    delimiter: 9,
    configuration: avcConfiguration,
    usability: avcUsability,
  },
  [TYPES.hevc]: {
    entry: 'hvc1',
    typeOf: (nal) => (nal[0]! >> 1) & 0x3f,
    sets: [32, 33, 34],
    sequence: 33,
    delimiter: 35,
    configuration: hevcConfiguration,
    usability: hevcUsability,
  },
};
/** sample_depends_on and sample_is_non_sync_sample, ISO/IEC 14496-12 §8.8.3.1. */
const [SYNC, NON_SYNC] = [0x0200_0000, 0x0101_0000];
/** Pictures wait so long for their turn at most; a longer time is damage. */
const MAX_DELAY_TICKS = 10 * TICKS_PER_SECOND;
/** A duration has 32 bits. */
const MAX_DURATION = 0xffff_ffff;
const USUAL_PICTURE_TICKS = TICKS_PER_SECOND / 25;
/** Times of a transport stream, and those that were milliseconds, are rounded by less than this. */
const ROUNDED_SECONDS = 0.0011;

/** Times in ticks of the track; `decodeTime` is later than that of the unit before. */
interface Unit {
  decodeTime: number;
  time: number;
  isKey: boolean;
  parts: Buffer[];
}

export interface FragmentWriterOptions {
  isVideo: boolean;
  /** The track as the tables have it; undefined while none names it. */
  announced(): Announced | undefined;
  label?: SoundLabel | undefined;
  /** A fragment lasts about so long at most; 0: it has one unit. */
  maxSeconds: number;
}

export class FragmentWriter {
  private readonly options: FragmentWriterOptions;
  private readonly joiner = new PesJoiner();
  private announced: Announced | undefined;
  private init: TrackInit | undefined;
  /** The last unit, whose duration the next one tells, and the duration before. */
  private last: Unit | undefined;
  private lastTicks = 0;
  /** Samples of the last frame of sound. */
  private frameSamples = 0;
  /** Decoding times are so much later that the first picture is shown when it is decoded: fragments begin at the time that they name. */
  private delayTicks = 0;
  private open: { units: Unit[]; samples: Sample[]; bytes: number } = { units: [], samples: [], bytes: 0 };
  private sequence = 0;
  private done: Fmp4Event[] = [];
  /** Pictures are left out up to the next keyframe. */
  private waits = true;

  constructor(options: FragmentWriterOptions) {
    this.options = options;
  }

  /** Returns what is whole now. Throws NotRead for media that ffmpeg may be asked about. */
  push(packets: PesPackets): Fmp4Event[] {
    // The tables of what follows may be there before the last unit of this.
    this.announced ??= this.options.announced();
    for (const unit of this.joiner.push(packets)) this.take(unit);
    return this.taken();
  }

  /** Returns all that has come; what comes later may be coded in another way. */
  finish(): Fmp4Event[] {
    for (const unit of this.joiner.finish()) this.take(unit);
    if (this.last !== undefined) this.addSample(this.last, this.lastTicks);
    this.last = undefined;
    this.close();
    this.announced = undefined;
    this.init = undefined;
    this.waits = true;
    return this.taken();
  }

  private taken(): Fmp4Event[] {
    const { done } = this;
    this.done = [];
    return done;
  }

  private take(unit: PesUnit): void {
    if (this.options.isVideo) this.takePicture(unit, this.announced?.type);
    else this.takeSound(unit);
  }

  private takePicture({ pts, dts, key, data }: PesUnit, type = 0): void {
    const form = NAL_FORMS[type];
    if (form === undefined) throw new NotRead('its pictures are neither H.264 nor HEVC');
    const nals = nalUnits(data).filter((nal) => form.typeOf(nal) !== form.delimiter);
    const isSet = (nal: Buffer): boolean => form.sets.includes(form.typeOf(nal));
    if (this.waits && !key) return;
    if (this.init === undefined) this.describePictures(form, data, nals.filter(isSet));
    if (this.init === undefined) return;
    // The sets stay with their pictures, too: ffmpeg reads no initialisation segment of a playlist but the first.
    if (nals.every(isSet)) return;
    this.waits = false;
    const delayTicks = pts - dts > MAX_DELAY_TICKS ? 0 : pts - dts;
    if (this.last === undefined) this.delayTicks = delayTicks;
    const parts = nals.flatMap((nal) => [lengthOf(nal, 4), nal]);
    this.add({ decodeTime: pts - delayTicks + this.delayTicks, time: pts, isKey: key, parts });
  }

  /** Nothing can be shown before a keyframe with all its sets. */
  private describePictures(form: NalForm, data: Buffer, sets: readonly Buffer[]): void {
    const facts = videoFacts(form.entry === 'avc1' ? TYPES.avc : TYPES.hevc, data);
    const isWhole = form.sets.every((type) => sets.some((set) => form.typeOf(set) === type));
    if (facts === undefined || !isWhole) return;
    const { width, height } = facts;
    const { entry } = form;
    const sequence = sets.find((set) => form.typeOf(set) === form.sequence)!;
    try {
      const shape = form.usability(sequence);
      this.begin(pictureInit({ entry, configuration: form.configuration(sets), width, height, ...shape }));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }

  private takeSound({ pts, data }: PesUnit): void {
    let seconds = pts / TICKS_PER_SECOND;
    for (const { frame, samples, ...form } of soundSamples(this.announced, data)) {
      if (this.init === undefined) this.beginSound(form, samples);
      else if (form.rate !== this.init.timescale) throw new NotRead('its sound changes within the stream');
      const time = this.soundTime(seconds, form.rate);
      this.add({ decodeTime: time, time, isKey: true, parts: [frame] });
      this.frameSamples = samples;
      seconds += samples / form.rate;
    }
  }

  private beginSound(form: Omit<SoundSample, 'frame' | 'samples'>, samples: number): void {
    const { label } = this.options;
    this.begin(soundInit({ ...form, label }));
    this.lastTicks = samples;
  }

  /** Frames follow each other without a gap, as long as their times are about what that makes of them. */
  private soundTime(seconds: number, rate: number): number {
    const given = Math.round(seconds * rate);
    if (this.last === undefined) return given;
    const next = this.last.decodeTime + this.frameSamples;
    return Math.abs(given - next) <= ROUNDED_SECONDS * rate ? next : given;
  }

  private begin(init: TrackInit): void {
    this.init = init;
    this.lastTicks = USUAL_PICTURE_TICKS;
    this.done.push({ init });
  }

  private add(unit: Unit): void {
    const { last } = this;
    if (last !== undefined) {
      const behind = last.decodeTime + 1 - unit.decodeTime;
      if (behind > 0) unit.decodeTime += behind;
      // A picture is shown at its time as long as that is no damage.
      if (behind > (this.options.isVideo ? MAX_DELAY_TICKS : 0)) unit.time += behind;
      this.lastTicks = Math.min(unit.decodeTime - last.decodeTime, MAX_DURATION);
      this.addSample(last, this.lastTicks);
    }
    this.last = unit;
    const { units, bytes } = this.open;
    const [first] = units;
    if (first === undefined) return;
    const seconds = (unit.decodeTime - first.decodeTime) / this.timescale;
    const isKeyPicture = this.options.isVideo && unit.isKey;
    if (isKeyPicture || seconds >= this.options.maxSeconds) this.close();
    else if (bytes > MAX_BUFFERED_BYTES) this.giveUp();
  }

  private addSample({ decodeTime, time, isKey, parts }: Unit, duration: number): void {
    const { open } = this;
    const size = parts.reduce((sum, { length }) => sum + length, 0);
    const flags = isKey ? SYNC : NON_SYNC;
    open.samples.push({ duration, size, flags, compositionOffset: time - decodeTime });
    open.bytes += size;
    open.units.push({ decodeTime, time, isKey, parts });
  }

  private close(): void {
    const { units, samples } = this.open;
    const [first] = units;
    this.open = { units: [], samples: [], bytes: 0 };
    if (first === undefined) return;
    const { decodeTime } = first;
    const data = units.flatMap(({ parts }) => parts);
    this.sequence += 1;
    const fragment: MediaFragment = {
      ...fragmentOf({ trackId: this.init!.trackId, decodeTime, samples, sequence: this.sequence }, data),
      startTime: Math.min(...units.map(({ time }) => time)),
      key: first.isKey,
    };
    this.done.push({ fragment });
  }

  /** A stream without keyframes must not fill the memory. */
  private giveUp(): void {
    this.open = { units: [], samples: [], bytes: 0 };
    this.last = undefined;
    this.waits = true;
  }

  private get timescale(): number {
    return this.init?.timescale ?? PICTURE_TIMESCALE;
  }
}
