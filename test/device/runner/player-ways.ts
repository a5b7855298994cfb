/** Three Destinations, and each way in which a player gets one of them. */
import type { PlayerName } from '../../helpers/track-viewer.ts';

export const [TS, CMAF, DASH] = [21, 22, 23];

/** `path` is below the address of the Live stream. */
export const WAYS: [player: PlayerName, path: string][] = [
  ['hls.js', `${TS}/index.m3u8`],
  ['hls.js', `${CMAF}/index.m3u8`],
  ['shaka', `${TS}/index.m3u8`],
  ['shaka', `${CMAF}/index.m3u8`],
  ['shaka', `${CMAF}/manifest.mpd`],
  ['shaka', `${DASH}/manifest.mpd`],
];
