/** WebVTT in fragmented MP4: ISO/IEC 14496-30 §7 (wvtt, vttC, vttc, payl, sttg, vtte) around ISO/IEC 14496-12. */
import { box, fullBox } from '../fmp4/fmp4-box.ts';
import { joinFragments } from '../fmp4/fmp4-join.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import type { Cue } from './cue.ts';
import { cueSettings, cueText } from './webvtt-segment.ts';

export const WVTT_TIMESCALE = TICKS_PER_SECOND;
const TRACK_ID = 1;
/** The language that is not known, `und`, in three letters of five bits (§8.4.2). */
const UNDETERMINED = 0x55c4;
/** The identity of §8.2.2, in 16.16 and 2.30. */
const MATRIX = uints(0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000);

function uints(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => bytes.writeUInt32BE(value, i * 4));
  return bytes;
}

/** Returns ftyp and moov of a track of text. */
export function wvttInit(): Buffer {
  const language = Buffer.alloc(4);
  language.writeUInt16BE(UNDETERMINED);
  const entry = box('wvtt', Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), box('vttC', Buffer.from('WEBVTT')));
  const table = box(
    'stbl',
    fullBox('stsd', 0, 0, uints(1), entry),
    fullBox('stts', 0, 0, uints(0)),
    fullBox('stsc', 0, 0, uints(0)),
    fullBox('stsz', 0, 0, uints(0, 0)),
    fullBox('stco', 0, 0, uints(0)),
  );
  const references = box('dinf', fullBox('dref', 0, 0, uints(1), fullBox('url ', 0, 1)));
  const handler = fullBox('hdlr', 0, 0, uints(0), Buffer.from('text'), uints(0, 0, 0), Buffer.from('captions\0'));
  const media = box(
    'mdia',
    fullBox('mdhd', 0, 0, uints(0, 0, WVTT_TIMESCALE, 0), language),
    handler,
    box('minf', fullBox('nmhd', 0, 0), references, table),
  );
  const movie = fullBox(
    'mvhd',
    0,
    0,
    uints(0, 0, 1000, 0, 0x1_0000, 0x0100_0000, 0, 0),
    MATRIX,
    Buffer.alloc(24),
    uints(2),
  );
  const header = fullBox('tkhd', 0, 7, uints(0, 0, TRACK_ID, 0, 0, 0, 0, 0, 0), MATRIX, uints(0, 0));
  return Buffer.concat([
    box('ftyp', Buffer.from('iso6'), uints(0), Buffer.from('iso6cmfcdash')),
    box('moov', movie, box('trak', header, media), box('mvex', fullBox('trex', 0, 0, uints(TRACK_ID, 1, 0, 0, 0)))),
  ]);
}

/** Returns moof and mdat of a segment: samples without a gap, one for each set of cues that are shown together. */
export function wvttSegment(sequence: number, fromTicks: number, toTicks: number, cues: readonly Cue[]): Buffer {
  const inside = (ticks: number): number => Math.min(toTicks, Math.max(fromTicks, Math.round(ticks)));
  const edges = cues.flatMap(({ startTicks, endTicks }) => [inside(startTicks), inside(endTicks)]);
  const times = [...new Set([fromTicks, ...edges, toTicks])].sort((a, b) => a - b);
  const data: Buffer[] = [];
  const samples = times.slice(0, -1).map((time, i) => {
    const shown = cues.filter(({ startTicks, endTicks }) => inside(startTicks) <= time && inside(endTicks) > time);
    const sample = sampleOf(shown);
    data.push(sample);
    return { duration: times[i + 1]! - time, size: sample.length, flags: 0x0200_0000, compositionOffset: 0 };
  });
  const fragment = {
    bytes: Buffer.alloc(0),
    trackId: TRACK_ID,
    decodeTime: fromTicks,
    startTime: fromTicks,
    duration: toTicks - fromTicks,
    key: true,
    samples,
    data: Buffer.concat(data),
  };
  return joinFragments([fragment], sequence);
}

function sampleOf(cues: readonly Cue[]): Buffer {
  const blocks = cues.flatMap(({ blocks: shown }) => shown);
  if (blocks.length === 0) return box('vtte');
  const boxes = blocks.map((block) =>
    box('vttc', box('sttg', Buffer.from(cueSettings(block))), box('payl', Buffer.from(cueText(block)))),
  );
  return Buffer.concat(boxes);
}
