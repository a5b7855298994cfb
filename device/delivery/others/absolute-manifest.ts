/**
 * A manifest of a Device as another server answers it: what it names of media lies at the Device, and its playlists at the server, where
 * players come back for the next version of them. All addresses are names of files of that Device's, as tokened-manifest.ts says.
 */
const TAGS_OF_MEDIA = /^#EXT-X-(?:MAP|PART|PRELOAD-HINT):/u;
const PLAYLIST = /\.m3u8$/u;
/** Elements with addresses that no manifest of ours has. */
const FOREIGN = /<(?:BaseURL|Location|PatchLocation|SegmentURL)\b/u;

/** `folder` is the Device's address of the Destination, `base` that of the manifest. */
interface At {
  folder: string;
  base: string;
}

/**
 * `file` is the name of the manifest below `folder`, which has a slash at its end. Throws RangeError for a manifest that names anything
 * outside of the folder: a Device may be somebody else's machine.
 */
export function manifestAt(text: string, folder: string, file: string): string {
  // Its own form may have the port that every program knows.
  const at = { folder: new URL(folder).href, base: new URL(file, folder).href };
  return file.endsWith('.mpd') ? mpdAt(text, at) : playlistAt(text, at);
}

/** A player asks for no further version of it. */
export function hasEnded(text: string): boolean {
  return /^#EXT-X-ENDLIST/mu.test(text) || /<MPD\b[^>]*\stype="static"/u.test(text);
}

function playlistAt(text: string, at: At): string {
  return text
    .split('\n')
    .map((line) => {
      if (line === '') return line;
      if (!line.startsWith('#')) return PLAYLIST.test(line) ? inFolder(line, at) && line : inFolder(line, at);
      return TAGS_OF_MEDIA.test(line)
        ? line.replace(
            /([:,]URI=")([^"]*)"/u,
            (_tag, before: string, name: string) => `${before}${inFolder(name, at)}"`,
          )
        : line;
    })
    .join('\n');
}

/** BaseURL is the first element of a Period (ISO/IEC 23009-1 §5.3.2): SegmentTemplates are read against it, UTCTiming is not (§5.8.4.11). */
function mpdAt(text: string, at: At): string {
  for (const [template] of text.matchAll(/<SegmentTemplate\b[^>]*>/gu))
    for (const [, name = ''] of template.matchAll(/\s(?:media|initialization)="([^"]*)"/gu)) inFolder(name, at);
  if (FOREIGN.test(text)) throw outside();
  return text
    .replace(/( *)<Period\b[^>]*>/gu, (tag, indent: string) => `${tag}\n${indent}  <BaseURL>${at.folder}</BaseURL>`)
    .replace(
      /(<UTCTiming\b[^>]*:http-[^>]*\svalue=")([^"]*)"/gu,
      (_tag, before: string, name: string) => `${before}${inFolder(name, at)}"`,
    );
}

/**
 * Periods of a run before, in front of those of the run of now: a player of DASH needs the one that it plays until it is through. Returns
 * nothing for one whose times count from another instant.
 */
export function periodsBefore(former: string, text: string): string {
  const [begin] = /\savailabilityStartTime="[^"]*"/u.exec(text) ?? [];
  if (begin === undefined || !former.includes(begin)) return '';
  const first = numberOf(text);
  const periods = former.match(/ *<Period [^]*?<\/Period>\n/gu) ?? [];
  return periods.filter((period) => numberOf(period) < first).join('');
}

export function withPeriods(periods: string, text: string): string {
  return text.replace(/ *<Period /u, (begin) => periods + begin);
}

/** Periods are called by the number of their first segment. */
function numberOf(text: string): number {
  return Number(/<Period [^>]*?\bid="(\d+)"/u.exec(text)?.[1]);
}

function inFolder(name: string, { folder, base }: At): string {
  const { href } = new URL(name, base);
  if (!href.startsWith(folder)) throw outside();
  return href;
}

function outside(): RangeError {
  return new RangeError('The manifest names what is not of its Destination.');
}
