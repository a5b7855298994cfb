import type { TestScope } from './clean-up.ts';
import { players } from './players.ts';

/** Cues are there as soon as their segments are, so nothing has to be played to the end. */
const SCRIPT = `
const video = document.querySelector('video');
const errors = [];
let announced = () => [];
window.look = () => ({
  announced: announced(),
  tracks: [...video.textTracks].map((track) => {
    if (track.mode === 'disabled') track.mode = 'hidden';
    return { label: track.label, texts: [...(track.cues ?? [])].map((cue) => cue.text) };
  }),
  errors,
});
window.watchHls = (url) => {
  const hls = new Hls({ enableWorker: false, maxBufferLength: 60, maxBufferSize: 60e6 });
  hls.on(Hls.Events.ERROR, (_, data) => data.fatal && errors.push(data.details));
  let levels = [];
  hls.on(Hls.Events.MANIFEST_PARSED, (_, data) => (levels = data.levels));
  announced = () => levels.map(({ attrs }) => attrs['CLOSED-CAPTIONS'] ?? '');
  hls.loadSource(url);
  hls.attachMedia(video);
};
window.watchDash = async (url) => {
  shaka.polyfill.installAll();
  const player = new shaka.Player();
  player.addEventListener('error', ({ detail }) => errors.push('shaka ' + detail.code));
  await player.attach(video);
  await player.load(url).catch((error) => errors.push('shaka ' + error.code));
  announced = () => player.getTextTracks().map(({ originalTextId, mimeType }) => originalTextId + ' ' + mimeType);
  return player;
};
window.watchDashOnly = async (url) => void (await window.watchDash(url));
window.watchText = async (url) => {
  const player = await window.watchDash(url);
  const made = player.getTextTracks().find(({ mimeType }) => !mimeType.includes('cea'));
  if (made === undefined) errors.push('no text');
  else await player.selectTextTrack(made);
  video.play();
};
`;

export interface CaptionSight {
  /** hls.js: CLOSED-CAPTIONS of each variant; shaka-player: its text tracks. */
  announced: string[];
  tracks: { label: string; texts: string[] }[];
  errors: string[];
}

export interface CaptionViewer {
  hls(url: string): Promise<() => Promise<CaptionSight>>;
  dash(url: string): Promise<() => Promise<CaptionSight>>;
  /** shaka-player with the first track of text that is not in the pictures. */
  shakaText(url: string): Promise<() => Promise<CaptionSight>>;
}

export async function captionViewer(t: TestScope): Promise<CaptionViewer> {
  const open = await players(t, SCRIPT);
  const watch = async (how: string, url: string): Promise<() => Promise<CaptionSight>> => {
    const page = await open();
    await page.evaluate(`window.${how}(${JSON.stringify(url)})`);
    return () => page.evaluate('window.look()');
  };
  return {
    hls: (url) => watch('watchHls', url),
    dash: (url) => watch('watchDashOnly', url),
    shakaText: (url) => watch('watchText', url),
  };
}
