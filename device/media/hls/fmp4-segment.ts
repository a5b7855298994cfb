/** A segment of fragmented MP4 as units: ISO/IEC 14496-12 §8.8, with any number of tracks in a fragment. */
import { ByteReader } from '../codecs/byte-reader.ts';
import { boxesIn, findBox, getBox, type Box } from '../fmp4/fmp4-box.ts';
import { readRun, readTrackHeader, type SampleDefaults } from '../fmp4/fmp4-parser.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import { sampleForm } from './sample-entry.ts';
import type { SampleForm } from '../units/sample-form.ts';
import { inOrder, type SegmentMedia, type Unit } from './units.ts';
import { NotRead } from '../units/track.ts';

interface TrackInit extends SampleForm {
  timescale: number;
  defaults: SampleDefaults;
  /** Seconds by which edits move the track, §8.6.6. */
  shiftSeconds: number;
}

export type Init = ReadonlyMap<number, TrackInit>;

const NON_SYNC = 0x0001_0000;
const MAX_SAMPLES = 1 << 16;
const HANDLERS = ['vide', 'soun'];

/** Reads an initialisation: its tracks of pictures and sound, by their numbers. Throws NotRead, and RangeError for damaged boxes. */
export function readInit(bytes: Buffer): Init {
  const moov = getBox(bytes, 'moov');
  const movieScale = timescaleOf(getBox(moov, 'mvhd'));
  const inits = new Map<number, TrackInit>();
  for (const { type, body } of boxesIn(moov)) {
    const handler = type === 'trak' ? getBox(body, 'mdia', 'hdlr').toString('latin1', 8, 12) : '';
    if (!HANDLERS.includes(handler)) continue;
    const tkhd = getBox(body, 'tkhd');
    const id = new ByteReader(tkhd, tkhd[0] === 1 ? 20 : 12).unsigned(4);
    const timescale = timescaleOf(getBox(body, 'mdia', 'mdhd'));
    const form = sampleForm(getBox(body, 'mdia', 'minf', 'stbl', 'stsd'));
    const shiftSeconds = shiftOf(findBox(body, 'edts', 'elst'), movieScale, timescale);
    inits.set(id, { ...form, timescale, defaults: defaultsOf(moov, id), shiftSeconds });
  }
  if (inits.size === 0) throw new NotRead('Its initialisation has neither pictures nor sound.');
  return inits;
}

/** mvhd (§8.2.2) and mdhd (§8.4.2) have their timescale at the same place. */
function timescaleOf(header: Buffer): number {
  const scale = new ByteReader(header, header[0] === 1 ? 20 : 12).unsigned(4);
  if (scale === 0) throw new RangeError('A track without a timescale.');
  return scale;
}

function defaultsOf(moov: Buffer, id: number): SampleDefaults {
  const all = [...boxesIn(findBox(moov, 'mvex') ?? Buffer.alloc(0))].filter(({ type }) => type === 'trex');
  const trex = all.find(({ body }) => new ByteReader(body, 4).unsigned(4) === id);
  if (trex === undefined) throw new NotRead('It is an MP4 without fragments.');
  const reader = new ByteReader(trex.body, 12);
  return { duration: reader.unsigned(4), size: reader.unsigned(4), flags: reader.unsigned(4) };
}

/** An empty edit delays a track; the other one says at which of its times it begins. */
function shiftOf(elst: Buffer | undefined, movieScale: number, timescale: number): number {
  if (elst === undefined) return 0;
  const reader = new ByteReader(elst, 4);
  const isLong = elst[0] === 1;
  let seconds = 0;
  for (let left = reader.unsigned(4); left > 0; left -= 1) {
    const [high, length] = isLong ? [reader.unsigned(4), reader.unsigned(4)] : [0, reader.unsigned(4)];
    const start = isLong ? reader.signed32() * 2 ** 32 + reader.unsigned(4) : reader.signed32();
    reader.skip(4);
    if (start >= 0) return seconds - start / timescale;
    seconds += (high * 2 ** 32 + length) / movieScale;
  }
  return seconds;
}

/** Throws NotRead for bytes without a fragment, and RangeError for damaged ones. */
export function fmp4Segment(bytes: Buffer, init: Init): SegmentMedia {
  const units: Unit[] = [];
  for (const { type, bytes: moof, body } of boxesIn(bytes)) {
    if (type !== 'moof') continue;
    for (const box of boxesIn(body)) if (box.type === 'traf') units.push(...trackUnits(bytes, moof, box, init));
  }
  if (units.length === 0) throw new NotRead('A segment has no samples.');
  return inOrder([...new Set([...init.values()].map(({ track }) => track))], units);
}

function trackUnits(file: Buffer, moof: Buffer, traf: Box, init: Init): Unit[] {
  const tfhd = getBox(traf.body, 'tfhd');
  const own = init.get(new ByteReader(tfhd, 4).unsigned(4));
  if (own === undefined) return [];
  if ((new ByteReader(tfhd, 1).unsigned(3) & 0x01) !== 0)
    throw new NotRead('Its data is counted from the start of a file.');
  const { defaults } = readTrackHeader(tfhd, own.defaults);
  const tfdt = new ByteReader(getBox(traf.body, 'tfdt'));
  const isLong = tfdt.unsigned(4) >> 24 === 1;
  let time = isLong ? tfdt.unsigned(4) * 2 ** 32 + tfdt.unsigned(4) : tfdt.unsigned(4);
  const base = moof.byteOffset - file.byteOffset;
  const ticks = (at: number): number => Math.round((at / own.timescale + own.shiftSeconds) * TICKS_PER_SECOND);
  const units: Unit[] = [];
  // Without an offset the data begins behind the header of the mdat that follows.
  let place = base + moof.length + 8;
  for (const { type, body } of boxesIn(traf.body)) {
    if (type !== 'trun') continue;
    if ((new ByteReader(body, 1).unsigned(3) & 0x01) !== 0) place = base + new ByteReader(body, 8).signed32();
    for (const { duration, size, flags, compositionOffset } of readRun(body, defaults, MAX_SAMPLES - units.length)) {
      if (place < 0 || place + size > file.length) throw new RangeError('A fragment has less data than its samples.');
      const key = (flags & NON_SYNC) === 0;
      const data = Buffer.concat(own.payload(file.subarray(place, place + size), key));
      units.push({ track: own.track, pts: ticks(time + compositionOffset), dts: ticks(time), key, data, duration: 0 });
      place += size;
      time += duration;
    }
  }
  return units;
}
