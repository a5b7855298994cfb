/**
 * Playlists and manifests as a viewer with a token gets them: every address in them carries it on, for no player does so by itself.
 * What the addresses are is known: names of our own files without a query. A token has no character that means something in a
 * playlist, in XML or in a template.
 */

/** URI is an address of ours in these tags; in those of keys, session data and date ranges it is somebody else's. */
const TAGS_WITH_URI = /^#EXT-X-(?:MAP|MEDIA):/u;

/** RFC 8216 §4.1: a line is a tag, a comment, blank, or an address. */
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
 * ISO/IEC 23009-1 §5.3.9: SegmentTemplate names what is fetched, and §5.8.4.11 where a player asks for the time of day. A BaseURL would
 * not hand a query on (RFC 3986 §5.3).
 */
export function manifestWithToken(text: string, token: string): string {
  return text
    .replace(/<SegmentTemplate\b[^>]*>/gu, (tag) =>
      tag.replace(/(\s(?:media|initialization)="[^"]*)"/gu, `$1?token=${token}"`),
    )
    .replace(/(<UTCTiming\b[^>]*:http-[^>]*\svalue="[^"]*)"/gu, `$1?token=${token}"`);
}
