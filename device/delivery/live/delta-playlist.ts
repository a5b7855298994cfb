/** Playlists without the segments that a player knows already: RFC 8216bis §6.2.5.1. */

/** The first line of a segment; those before are of the whole list. */
const SEGMENT_TAG = /^#EXT-X-(?:DISCONTINUITY$|MAP:|PROGRAM-DATE-TIME:|DATERANGE:|CUE-|PART:)|^#EXTINF:/u;

interface ListedSegment {
  lines: string[];
  seconds: number;
}

/** Returns the text itself when it says that nothing may be skipped, or has nothing to skip. */
export function deltaPlaylist(text: string): string {
  const skipUntil = Number(/CAN-SKIP-UNTIL=([\d.]+)/u.exec(text)?.[1]);
  if (!(skipUntil > 0)) return text;
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => SEGMENT_TAG.test(line));
  const { segments, rest } = segmentsOf(lines.slice(begin));
  let behind = rest.reduce((sum, line) => sum + Number(/^#EXT-X-PART:DURATION=([\d.]+)/u.exec(line)?.[1] ?? 0), 0);
  // A segment is skipped when all of it is farther from the end than the boundary.
  let kept = 0;
  for (const { seconds } of segments.toReversed()) {
    if (behind >= skipUntil) break;
    behind += seconds;
    kept += 1;
  }
  const skipped = segments.slice(0, segments.length - kept).flatMap((segment) => segment.lines);
  if (skipped.length === 0) return text;
  // Date ranges are known by the list that names them, so they stay; and whoever reads the list alone finds the set-up of its segments.
  const ranges = skipped.filter((line) => line.startsWith('#EXT-X-DATERANGE:'));
  const map = skipped.findLast((line) => line.startsWith('#EXT-X-MAP:'));
  const isKey = (line: string): boolean => line.startsWith('#EXT-X-KEY:');
  const keys = segments
    .slice(0, segments.length - kept)
    .findLast((segment) => segment.lines.some(isKey))
    ?.lines.filter(isKey);
  return [
    ...lines.slice(0, begin),
    `#EXT-X-SKIP:SKIPPED-SEGMENTS=${segments.length - kept}`,
    ...ranges,
    ...(keys ?? []),
    ...(map === undefined ? [] : [map]),
    ...segments.slice(segments.length - kept).flatMap((segment) => segment.lines),
    ...rest,
  ].join('\n');
}

/** `rest`: the lines behind the last whole segment. */
function segmentsOf(lines: readonly string[]): { segments: ListedSegment[]; rest: string[] } {
  const segments: ListedSegment[] = [];
  let own: string[] = [];
  for (const line of lines) {
    own.push(line);
    if (line === '' || line.startsWith('#')) continue;
    const seconds = own.map((one) => /^#EXTINF:([\d.]+)/u.exec(one)?.[1]).find((one) => one !== undefined);
    segments.push({ lines: own, seconds: Number(seconds ?? 0) });
    own = [];
  }
  return { segments, rest: own };
}
