/**
 * Playlists and manifests for a viewer with a token: every address in them carries it on, since no player does so by itself. All addresses
 * are names of our own files without a query. A token has no character that means something in a playlist, in XML or in a template.
 */

/** URI is an address of ours in these tags; in those of keys, session data and date ranges it is somebody else's. */
const TAGS_WITH_URI = /^#EXT-X-(?:MAP|MEDIA|PART|PRELOAD-HINT|RENDITION-REPORT):/u;

/** A line is a tag, a comment, blank, or an address (RFC 8216 §4.1). */
export function playlistWithToken(text: string, token: string): string {
  return text
    .split('\n')
    .map((line) => {
      if (line === '') return line;
      if (!line.startsWith('#')) return `${line}?token=${token}`;
      return TAGS_WITH_URI.test(line) ? line.replace(/([:,]URI="[^"]*)"/u, `$1?token=${token}"`) : line;
    })
    .join('\n');
}

/**
 * SegmentTemplate names what is fetched (ISO/IEC 23009-1 §5.3.9), and UTCTiming the address for the time of day (§5.8.4.11). A BaseURL
 * would not hand a query on (RFC 3986 §5.3).
 */
export function manifestWithToken(text: string, token: string): string {
  return text
    .replace(/<SegmentTemplate\b[^>]*>/gu, (tag) =>
      tag.replace(/(\s(?:media|initialization)="[^"]*)"/gu, `$1?token=${token}"`),
    )
    .replace(/(<UTCTiming\b[^>]*:http-[^>]*\svalue="[^"]*)"/gu, `$1?token=${token}"`);
}
