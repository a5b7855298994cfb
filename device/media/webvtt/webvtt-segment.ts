/** Segments of WebVTT (W3C WebVTT) as HLS has them (RFC 8216 §3.5): the cues of a span of the stream, on the stream's own time. */
import type { CaptionBlock, CaptionSpan } from '../captions/caption-block.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import type { Cue } from './cue.ts';

/** Times of WebVTT are milliseconds. */
const TICKS_PER_MS = TICKS_PER_SECOND / 1000;
/** MPEG-2 time begins anew after this. */
const WRAP = 2 ** 33;

/**
 * Returns the file of a segment that begins at `startTicks`. The map names that instant on both clocks, so cues have the stream's time,
 * the same in each segment that repeats them, and the 33 bits of the segments' time may wrap.
 */
export function webvttSegment(startTicks: number, cues: readonly Cue[]): string {
  const ms = Math.max(0, Math.floor(startTicks / TICKS_PER_MS));
  const head = `WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:${(ms * TICKS_PER_MS) % WRAP},LOCAL:${timeOf(ms)}\n`;
  const blocks = cues.flatMap(({ startTicks: from, endTicks: to, blocks: shown }) => {
    const times = `${timeOf(Math.round(from / TICKS_PER_MS))} --> ${timeOf(Math.round(to / TICKS_PER_MS))}`;
    return shown.map((block) => `\n${times} ${cueSettings(block)}\n${cueText(block)}\n`);
  });
  return [head, ...blocks].join('');
}

/** Position and alignment of a cue, which a wvtt sample has in a box of its own. */
export function cueSettings({ top, left }: CaptionBlock): string {
  const percent = (value: number): string => `${Number(value.toFixed(2))}%`;
  return `line:${percent(top)} position:${percent(left)},line-left align:left`;
}

/** The text with the marks of WebVTT for its styles. */
export function cueText({ rows }: CaptionBlock): string {
  return rows.map((spans) => spans.map(spanText).join('')).join('\n');
}

function spanText({ text, italic, underline, colour }: CaptionSpan): string {
  let marked = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  if (underline) marked = `<u>${marked}</u>`;
  if (italic) marked = `<i>${marked}</i>`;
  return colour === undefined ? marked : `<c.${colour}>${marked}</c>`;
}

function timeOf(ms: number): string {
  const part = (value: number, digits: number): string => String(value).padStart(digits, '0');
  const [hours, minutes, seconds] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1000) % 60,
  ];
  return `${part(hours, 2)}:${part(minutes, 2)}:${part(seconds, 2)}.${part(ms % 1000, 3)}`;
}
