/** Reads a single-track fragmented MP4 of a packager's ffmpeg while it comes: ISO/IEC 14496-12 §8.8, ISO/IEC 23000-19. */
import { ByteReader } from '../codecs/byte-reader.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import { BoxSplitter, boxesIn, getBox, type Box } from './fmp4-box.ts';
import { sampleFacts, type SampleFacts } from './fmp4-codec.ts';

export interface TrackInit extends SampleFacts {
  /** ftyp and moov: the initialisation segment (EXT-X-MAP). */
  bytes: Buffer;
  trackId: number;
  kind: 'video' | 'audio';
  /** Ticks per second of all times of this track. */
  timescale: number;
  /** Values of trex, §8.8.3, for fields that a fragment does not have. */
  defaults: SampleDefaults;
}

export interface SampleDefaults {
  duration: number;
  size: number;
  flags: number;
}

export interface Sample extends SampleDefaults {
  /** Presentation time less decode time, in ticks. */
  compositionOffset: number;
}

/** One moof and its mdat. Times are in ticks of the track. */
export interface MediaFragment {
  bytes: Buffer;
  trackId: number;
  /** baseMediaDecodeTime, §8.8.12. */
  decodeTime: number;
  /** Earliest presentation time, which manifests name. */
  startTime: number;
  /** Sum of the sample durations. */
  duration: number;
  /** Its first sample can be decoded by itself. */
  key: boolean;
  samples: Sample[];
  /** Sample data, one after the other. */
  data: Buffer;
}

export type Fmp4Event = { init: TrackInit; fragment?: undefined } | { init?: undefined; fragment: MediaFragment };

/** sample_is_non_sync_sample, §8.8.3.1. */
const NON_SYNC = 0x0001_0000;

/** Samples of a fragment: a run of samples that all have the defaults costs its sender nothing. Audio of ten minutes has 28,000. */
const MAX_SAMPLES = 1 << 16;

/** The time of a transport stream starts again after this. */
const WRAP_SECONDS = 2 ** 33 / TICKS_PER_SECOND;

export class Fmp4Parser {
  private readonly nearSeconds: number | undefined;
  /** Shift of all times. */
  private shiftSeconds: number | undefined;
  private readonly splitter = new BoxSplitter();
  private fileType: Buffer | undefined;
  private init: TrackInit | undefined;
  private moof: Box | undefined;

  /**
   * `nearSeconds` is about the time of the stream when this writer begins, counted on past the wraps of its 33-bit time. Fragments get
   * that time: ffmpeg begins anew after each wrap, and below 0 when it is started in the last minute before one.
   */
  constructor(nearSeconds?: number) {
    this.nearSeconds = nearSeconds;
  }

  /**
   * Returns the parts that the bytes complete. Throws RangeError for bytes that are no fragmented MP4 of one track with a codec known here;
   * nothing can be read from this writer any more then.
   */
  push(chunk: Buffer): Fmp4Event[] {
    return this.splitter.push(chunk).flatMap((box) => this.take(box) ?? []);
  }

  private take(box: Box): Fmp4Event | undefined {
    if (box.type === 'ftyp') this.fileType = box.bytes;
    if (box.type === 'moov') return { init: (this.init = readInit(box, this.fileType ?? Buffer.alloc(0))) };
    if (box.type === 'moof') this.moof = box;
    if (box.type !== 'mdat' || this.moof === undefined) return undefined;
    if (this.init === undefined) throw new RangeError('A fragment comes before its moov.');
    const fragment = readFragment(this.moof, box, this.init, (seconds) => this.shift(seconds));
    this.moof = undefined;
    return { fragment };
  }

  private shift(seconds: number): number {
    const near = this.nearSeconds ?? seconds;
    return (this.shiftSeconds ??= Math.round((near - seconds) / WRAP_SECONDS) * WRAP_SECONDS);
  }
}

function readInit(moov: Box, fileType: Buffer): TrackInit {
  const tracks = [...boxesIn(moov.body)].filter(({ type }) => type === 'trak');
  if (tracks.length !== 1) throw new RangeError(`A rendition has one track, not ${tracks.length}.`);
  const track = tracks[0]!.body;
  const handler = new ByteReader(getBox(track, 'mdia', 'hdlr'), 8).take(4).toString('latin1');
  const kind = handler === 'vide' ? 'video' : handler === 'soun' ? 'audio' : undefined;
  const stsd = getBox(track, 'mdia', 'minf', 'stbl', 'stsd');
  const facts = kind === undefined ? undefined : sampleFacts(stsd, kind);
  if (kind === undefined || facts === undefined) {
    const name = stsd.toString('latin1', 12, 16);
    throw new RangeError(`The codec "${name}" of a "${handler}" track is not known.`);
  }
  const mdhd = new ByteReader(getBox(track, 'mdia', 'mdhd'));
  mdhd.skip(mdhd.unsigned(1) === 1 ? 19 : 11);
  const timescale = mdhd.unsigned(4);
  if (timescale === 0) throw new RangeError('A track without a timescale.');
  const trex = new ByteReader(getBox(moov.body, 'mvex', 'trex'), 4);
  const trackId = trex.unsigned(4);
  trex.skip(4);
  const defaults = { duration: trex.unsigned(4), size: trex.unsigned(4), flags: trex.unsigned(4) };
  return { bytes: Buffer.concat([fileType, moov.bytes]), trackId, kind, timescale, defaults, ...facts };
}

function readFragment(moof: Box, mdat: Box, init: TrackInit, shift: (seconds: number) => number): MediaFragment {
  const trafs = [...boxesIn(moof.body)].filter(({ type }) => type === 'traf');
  if (trafs.length !== 1) throw new RangeError(`A fragment of ${trafs.length} tracks.`);
  const traf = trafs[0]!.body;
  const header = readTrackHeader(getBox(traf, 'tfhd'), init.defaults);
  const { time: written, setTime } = decodeTimeOf(moof, getBox(traf, 'tfdt'));
  const decodeTime = written + Math.round(shift(written / init.timescale) * init.timescale);
  if (decodeTime !== written) setTime(decodeTime);
  const runs = [...boxesIn(traf)].filter(({ type }) => type === 'trun');
  const samples: Sample[] = [];
  for (const { body } of runs) samples.push(...readRun(body, header.defaults, MAX_SAMPLES - samples.length));
  if (samples.length === 0) throw new RangeError('A fragment without samples.');

  let time = 0;
  let startTime = Infinity;
  for (const { duration, compositionOffset } of samples) {
    startTime = Math.min(startTime, decodeTime + time + compositionOffset);
    time += duration;
  }
  const bytes = samples.reduce((sum, { size }) => sum + size, 0);
  if (bytes > mdat.body.length) throw new RangeError('A fragment has less data than its samples.');
  return {
    bytes: Buffer.concat([moof.bytes, mdat.bytes]),
    trackId: header.trackId,
    decodeTime,
    startTime,
    duration: time,
    key: (samples[0]!.flags & NON_SYNC) === 0,
    samples,
    data: mdat.body.subarray(0, bytes),
  };
}

/** Reads tfdt, §8.8.12. The time is signed here, although the standard knows none below 0. */
function decodeTimeOf(moof: Box, tfdt: Buffer): { time: number; setTime(time: number): void } {
  const reader = new ByteReader(tfdt);
  const isLong = reader.unsigned(4) >> 24 === 1;
  const at = reader.skip(isLong ? 8 : 4);
  const time = isLong ? Number(tfdt.readBigInt64BE(at)) : tfdt.readUInt32BE(at);
  if (!Number.isSafeInteger(time)) throw new RangeError(`A fragment at ${time} ticks.`);
  const setTime = (changed: number): void => {
    if (!isLong) throw new RangeError('A time of 32 bits cannot be moved.');
    // The body is a view into the bytes of the whole box.
    moof.bytes.writeBigInt64BE(BigInt(changed), tfdt.byteOffset - moof.bytes.byteOffset + at);
  };
  return { time, setTime };
}

/** Reads tfhd, §8.8.7. */
export function readTrackHeader(tfhd: Buffer, defaults: SampleDefaults): { trackId: number; defaults: SampleDefaults } {
  const reader = new ByteReader(tfhd, 1);
  const flags = reader.unsigned(3);
  // Offsets from the start of a file, which a stream does not have.
  if ((flags & 0x01) !== 0) throw new RangeError('A fragment whose data is counted from the start of the file.');
  const trackId = reader.unsigned(4);
  if ((flags & 0x02) !== 0) reader.skip(4);
  const field = (bit: number, otherwise: number): number => ((flags & bit) === 0 ? otherwise : reader.unsigned(4));
  const duration = field(0x08, defaults.duration);
  const size = field(0x10, defaults.size);
  return { trackId, defaults: { duration, size, flags: field(0x20, defaults.flags) } };
}

/** Reads trun, §8.8.8. Throws RangeError for more samples than `maxSamples`. */
export function readRun(trun: Buffer, defaults: SampleDefaults, maxSamples: number): Sample[] {
  const reader = new ByteReader(trun);
  const version = reader.unsigned(1);
  const flags = reader.unsigned(3);
  const count = reader.unsigned(4);
  if ((flags & 0x01) !== 0) reader.skip(4);
  const firstFlags = (flags & 0x04) === 0 ? defaults.flags : reader.unsigned(4);
  const perSample = [0x100, 0x200, 0x400, 0x800].filter((bit) => (flags & bit) !== 0).length * 4;
  if (count * perSample > reader.left || count > maxSamples) throw new RangeError(`A run of ${count} samples.`);
  const field = (bit: number, otherwise: number): number => ((flags & bit) === 0 ? otherwise : reader.unsigned(4));
  return Array.from({ length: count }, (_, i) => {
    const duration = field(0x100, defaults.duration);
    const size = field(0x200, defaults.size);
    const own = field(0x400, i === 0 ? firstFlags : defaults.flags);
    const offset = (flags & 0x800) === 0 ? 0 : version === 0 ? reader.unsigned(4) : reader.signed32();
    return { duration, size, flags: own, compositionOffset: offset };
  });
}
