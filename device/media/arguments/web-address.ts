/** The ending of a web address, and what it says of the media there. */

/** The ending says that it is a playlist; others may be one as well, which ffmpeg finds out. */
export function isPlaylistUrl(url: string): boolean {
  const { protocol, pathname } = new URL(url);
  return protocol.startsWith('http') && /\.m3u8?$/iu.test(pathname);
}

/** Servers of live streams give MPEG-TS or FLV without an end at such paths: with one of these endings, or with none. */
export const MAYBE_LIVE = /(?:\.(?:ts|m2ts|mts|flv)|\/[^./]*)$/iu;
