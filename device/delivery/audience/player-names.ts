/** The name of a player by what it calls itself. They are few, so that figures by player stay few as well. */

/** The first that fits counts: browsers name each other, and players name the libraries that they are made of. */
const NAMES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['VLC', /\bVLC\b|LibVLC/u],
  ['OBS', /\bOBS\b/u],
  ['mpv', /\bmpv\b/iu],
  ['Kodi', /\bKodi\b|XBMC/u],
  ['ffmpeg', /\bLavf\b|ffmpeg/iu],
  ['ExoPlayer', /ExoPlayer|AndroidXMedia3/u],
  ['Apple player', /AppleCoreMedia|\bAVPlayer\b/u],
  ['GStreamer', /GStreamer/u],
  ['Roku', /\bRoku\b/u],
  ['Chromecast', /\bCrKey\b/u],
  ['Samsung TV', /Tizen|SMART-TV/u],
  ['LG TV', /Web0S|webOS/u],
  ['Fire TV', /\bAFT[A-Z]/u],
  ['Edge', /\bEdgA?\//u],
  ['Opera', /\bOPR\//u],
  ['Samsung Internet', /SamsungBrowser/u],
  ['Firefox', /\bFirefox\/|\bFxiOS\//u],
  ['Chrome', /\bChrome\/|HeadlessChrome|\bCriOS\//u],
  ['Safari', /\bSafari\//u],
];

export function playerName(agent: string): string {
  return NAMES.find(([, pattern]) => pattern.test(agent))?.[0] ?? 'other';
}
