/** Makes one file of several tracks from initialisation segments and fragments of one track each: ISO/IEC 14496-12 §8.1.1, §8.8. */
import { box, boxesIn, findBox, getBox, type Box } from './fmp4-box.ts';
import { joinFragments } from './fmp4-join.ts';
import type { MediaFragment, TrackInit } from './fmp4-parser.ts';

/** Offsets of the track id in a tkhd body (§8.3.2) of version 0 and 1, and in a trex body (§8.8.3). */
const TKHD_ID = [12, 20] as const;
const TREX_ID = 4;

/** Returns ftyp and moov of a file in which the tracks have the numbers 1, 2, 3 … Throws RangeError for an init that is not of one track. */
export function mergedInit(inits: readonly TrackInit[]): Buffer {
  const [first] = inits;
  if (first === undefined) throw new RangeError('A file needs a track.');
  const moovs = inits.map(({ bytes }) => getBox(bytes, 'moov'));
  const fileType = childBox(first.bytes, 'ftyp').bytes;
  const header = Buffer.from(childBox(moovs[0]!, 'mvhd').bytes);
  // next_track_ID is the last field, §8.2.2.
  header.writeUInt32BE(inits.length + 1, header.length - 4);
  const tracks = moovs.map((moov, i) => renumbered(childBox(moov, 'trak'), (track) => trackHeader(track), i + 1));
  const defaults = moovs.map((moov, i) =>
    renumbered(childBox(getBox(moov, 'mvex'), 'trex'), (trex) => [trex, TREX_ID] as const, i + 1),
  );
  return Buffer.concat([fileType, box('moov', header, ...tracks, box('mvex', ...defaults))]);
}

/** Returns the fragment as part of such a file, its time counted from `originTicks`. */
export function mergedFragment(
  fragment: MediaFragment,
  trackId: number,
  sequence: number,
  originTicks: number,
): Buffer {
  return joinFragments([{ ...fragment, trackId, decodeTime: fragment.decodeTime - originTicks }], sequence);
}

/** Returns the fragment without the samples before that time, of which the others do not depend; undefined where none is left. */
export function withoutBefore(fragment: MediaFragment, ticks: number): MediaFragment | undefined {
  let { decodeTime, startTime } = fragment;
  let [count, bytes] = [0, 0];
  for (const { duration, size } of fragment.samples) {
    if (decodeTime >= ticks) break;
    decodeTime += duration;
    bytes += size;
    count += 1;
  }
  if (count === 0) return fragment;
  const samples = fragment.samples.slice(count);
  if (samples.length === 0) return undefined;
  startTime += decodeTime - fragment.decodeTime;
  const duration = fragment.duration - (decodeTime - fragment.decodeTime);
  return { ...fragment, decodeTime, startTime, duration, samples, data: fragment.data.subarray(bytes) };
}

function childBox(body: Buffer, type: string): Box {
  const found = [...boxesIn(body)].find((one) => one.type === type);
  if (found === undefined) throw new RangeError(`There is no box ${type}.`);
  return found;
}

/** Returns a copy of the box with another track id; `at` finds the field in the copy's body. */
function renumbered({ bytes, body }: Box, at: (body: Buffer) => readonly [Buffer, number], id: number): Buffer {
  const copy = Buffer.from(bytes);
  const [field, offset] = at(copy.subarray(bytes.length - body.length));
  field.writeUInt32BE(id, offset);
  return copy;
}

function trackHeader(track: Buffer): readonly [Buffer, number] {
  const header = findBox(track, 'tkhd');
  if (header === undefined) throw new RangeError('There is no box tkhd.');
  return [header, TKHD_ID[header[0] === 1 ? 1 : 0]];
}
