/** A live source whose pictures show the time of day as bars, and the script that reads them in a browser. */
import { spawn } from 'node:child_process';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';

const [WIDTH, HEIGHT, FPS] = [320, 180, 30];
/** Bits of the milliseconds: they come round after 18 hours. */
const BITS = 26;
const BAR = 12;

function frame(ms: number): Buffer {
  const picture = Buffer.alloc(WIDTH * HEIGHT, 128);
  const row = Buffer.alloc(WIDTH, 128);
  for (let bit = 0; bit < BITS; bit += 1)
    row.fill(Math.floor(ms / 2 ** bit) % 2 === 1 ? 235 : 16, bit * BAR, (bit + 1) * BAR);
  for (let y = 0; y < 60; y += 1) row.copy(picture, y * WIDTH);
  return picture;
}

/** Sends the clock by UDP until the test is over. */
export function startClock(t: TestScope, url: string): void {
  const child = spawn(
    'ffmpeg',
    [
      ...['-v', 'error', '-fflags', 'nobuffer', '-probesize', '32', '-analyzeduration', '0'],
      ...['-f', 'rawvideo', '-pix_fmt', 'gray', '-s', `${WIDTH}x${HEIGHT}`, '-r', String(FPS), '-i', 'pipe:0'],
      ...['-re', '-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'],
      ...['-map', '0:v', '-map', '1:a', '-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'ultrafast'],
      ...['-tune', 'zerolatency', '-g', String(FPS), '-b:v', '1M', '-c:a', 'aac', '-flush_packets', '1'],
      ...['-muxdelay', '0', '-muxpreload', '0', '-f', 'mpegts', url],
    ],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  child.stdin.on('error', () => undefined);
  const begunAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    // Frames that are due: the timer itself is late by some milliseconds.
    for (; sent <= ((performance.now() - begunAt) / 1000) * FPS; sent += 1) child.stdin.write(frame(Date.now()));
  }, 5);
  cleanUp(t, async () => {
    clearInterval(timer);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  });
}

/** `window.behind()` answers the milliseconds that the picture on the screen is behind the clock. */
export const READ_CLOCK = `
const canvas = document.createElement('canvas');
canvas.width = ${BITS * BAR};
canvas.height = 1;
const context = canvas.getContext('2d', { willReadFrequently: true });
window.behind = () => {
  if (video.readyState < 2) return null;
  const { videoWidth, videoHeight } = video;
  context.drawImage(video, 0, videoHeight * 30 / ${HEIGHT}, videoWidth * ${BITS * BAR} / ${WIDTH}, 1, 0, 0, canvas.width, 1);
  const { data } = context.getImageData(0, 0, canvas.width, 1);
  let ms = 0;
  for (let bit = 0; bit < ${BITS}; bit += 1) if (data[(bit * ${BAR} + ${BAR / 2}) * 4] > 128) ms += 2 ** bit;
  const all = 2 ** ${BITS};
  return (Date.now() % all - ms + all) % all;
};
`;
