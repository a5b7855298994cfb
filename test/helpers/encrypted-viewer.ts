import type { TestScope } from './clean-up.ts';
import { players } from './players.ts';

const SCRIPT = `
const video = document.querySelector('video');
const errors = [];
const failed = (error) =>
  errors.push('shaka ' + error.code + ' ' + JSON.stringify(error.data ?? String(error)).slice(0, 300));
shaka.polyfill.installAll();
const player = new shaka.Player();
player.addEventListener('error', (event) => failed(event.detail));
video.addEventListener('error', () => errors.push('media ' + video.error?.code + ' ' + video.error?.message));
window.look = () => ({
  currentTime: video.currentTime,
  frames: video.getVideoPlaybackQuality().totalVideoFrames,
  errors,
  keySystem: player.drmInfo()?.keySystem,
});
window.watch = (url, keys) => {
  const begin = async () => {
    await player.attach(video);
    if (Object.keys(keys).length > 0) player.configure({ drm: { clearKeys: keys } });
    await player.load(url);
    await video.play();
  };
  begin().catch(failed);
};
`;

export interface Sight {
  currentTime: number;
  /** Pictures that were decoded. */
  frames: number;
  /** Errors of shaka-player and the browser since the beginning. */
  errors: string[];
  keySystem: string | undefined;
}

export interface EncryptedViewer {
  /** `keys`: content keys by key id, hexadecimal; none: a viewer without a licence. */
  watch(url: string, keys: Record<string, string>): Promise<{ look(): Promise<Sight>; close(): Promise<void> }>;
}

export async function encryptedViewer(t: TestScope): Promise<EncryptedViewer> {
  const open = await players(t, SCRIPT);
  return {
    async watch(url, keys) {
      const page = await open();
      await page.evaluate(`window.watch(${JSON.stringify(url)}, ${JSON.stringify(keys)})`);
      return {
        look: () => page.evaluate('window.look()'),
        close: () => page.close(),
      };
    },
  };
}
