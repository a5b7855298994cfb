/** A page of another origin with hls.js, shaka-player and dash.js in headless Chromium: what a customer's web site is. */
import { playerBrowser } from './players.ts';

const SCRIPT = `
const video = document.querySelector('video');
const errors = [];
window.look = () => ({
  currentTime: video.currentTime,
  frames: video.getVideoPlaybackQuality().totalVideoFrames,
  size: video.videoWidth + 'x' + video.videoHeight,
  errors,
});
window.watch = async (player, url) => {
  if (player === 'hls.js') {
    const hls = new Hls();
    hls.on(Hls.Events.ERROR, (_, data) => data.fatal && errors.push(data.details + ' ' + (data.response?.code ?? '')));
    hls.loadSource(url);
    hls.attachMedia(video);
    video.play().catch(() => undefined);
    return;
  }
  if (player === 'dash.js') {
    const dash = dashjs.MediaPlayer().create();
    dash.on('error', ({ error }) => errors.push(JSON.stringify(error)));
    return dash.initialize(video, url, true);
  }
  shaka.polyfill.installAll();
  const shakaPlayer = new shaka.Player();
  const failed = (error) => errors.push('shaka ' + error.code + ' ' + JSON.stringify(error.data ?? '').slice(0, 200));
  shakaPlayer.addEventListener('error', (event) => failed(event.detail));
  try {
    await shakaPlayer.attach(video);
    await shakaPlayer.load(url);
    await video.play();
  } catch (error) {
    failed(error);
  }
};
`;

export interface Seen {
  currentTime: number;
  /** Pictures that were decoded. */
  frames: number;
  /** Width and height of the picture. */
  size: string;
  /** The error that ended the player. */
  errors: string[];
}

export interface PlayerPages {
  watch(
    player: 'hls.js' | 'shaka' | 'dash.js',
    url: string,
  ): Promise<{ look(): Promise<Seen>; close(): Promise<void> }>;
  close(): Promise<void>;
}

export async function playerPages(): Promise<PlayerPages> {
  const { open, close } = await playerBrowser(SCRIPT);
  return {
    async watch(player, url) {
      const page = await open();
      await page.evaluate(`void window.watch(${JSON.stringify(player)}, ${JSON.stringify(url)})`);
      return { look: () => page.evaluate('window.look()'), close: () => page.close() };
    },
    close,
  };
}
