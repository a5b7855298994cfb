/**
 * The delay of a relay of RTMP, picture by picture: a still picture is sent with one of its negative every two seconds, which is the only
 * large one between two keyframes, before a relay and behind it, copied or encoded.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { RtmpPublishing } from '../../device/media/rtmp/rtmp-publishing.ts';
import type { RtmpMessage } from '../../device/media/rtmp/rtmp-chunks.ts';
import { flvMessages, rtmpSink, type RtmpSink } from '../device/runner/rtmp-sink.ts';
import { cleanUp } from './clean-up.ts';
import type { Attempt } from './attempts.ts';

export const FLASH_FPS = 25;
const FLASH_EVERY = 50;
const SECONDS = 20;
/** The negative takes some 23 kB, any other picture between keyframes up to 4 kB. */
const FLASH_BYTES = 10_000;

export function makeFlashClip(path: string, size = '640x360'): void {
  const isFlash = `eq(mod(n\\,${FLASH_EVERY})\\,${FLASH_EVERY / 2})`;
  const picture = [
    `testsrc2=size=${size}:rate=${FLASH_FPS}`,
    `loop=loop=-1:size=1`,
    `setpts=N/${FLASH_FPS}/TB`,
    `negate=enable='${isFlash}'`,
  ];
  const inputs = ['-f', 'lavfi', '-i', picture.join(','), '-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  const codecs = ['-c:v', 'libx264', '-preset', 'veryfast', '-tune', 'zerolatency', '-pix_fmt', 'yuv420p'];
  const rate = ['-b:v', '2M', '-g', String(FLASH_EVERY), '-keyint_min', String(FLASH_EVERY), '-sc_threshold', '0'];
  const args = ['-v', 'error', '-y', ...inputs, '-t', String(SECONDS), ...codecs, ...rate, '-c:a', 'aac', '-f', 'flv'];
  execFileSync('ffmpeg', [...args, path]);
}

/** A picture between two keyframes that is no still one. */
function isFlash({ type, body }: Pick<RtmpMessage, 'type' | 'body'>): boolean {
  return type === 9 && body[0] === 0x27 && body[1] === 1 && body.length > FLASH_BYTES;
}

/** Sends the clip again and again at its own rate, each message at its time. */
export function pushFlashes(t: Attempt, clip: string, port: number, app: string, key: string): { sentAt: number[] } {
  const messages = flvMessages(readFileSync(clip));
  const heads = messages.filter(({ time, type, body }) => type === 18 || (time === 0 && body[1] === 0));
  const media = messages.filter((message) => !heads.includes(message));
  const sentAt: number[] = [];
  let timer: NodeJS.Timeout | undefined;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const start = (): void => {
    const began = performance.now();
    for (const { type, body } of heads) publishing.media({ type, body, time: 0 });
    let [next, round] = [0, 0];
    const send = (): void => {
      for (;;) {
        const { type, time, body } = media[next]!;
        const at = round * SECONDS * 1000 + time;
        if (began + at > performance.now()) break;
        publishing.media({ type, time: at, body });
        if (isFlash({ type, body })) sentAt.push(performance.now());
        next = (next + 1) % media.length;
        if (next === 0) round += 1;
      }
      timer = setTimeout(send, 2);
    };
    send();
  };
  const publishing: RtmpPublishing = new RtmpPublishing(
    { url: `rtmp://127.0.0.1:${port}/${app}`, app, key },
    { send: (bytes) => void socket.write(bytes), onPublishing: start, onRefused: (words) => socket.destroy(new Error(words)) },
  );
  socket.once('connect', () => publishing.start());
  socket.on('data', (bytes: Buffer) => publishing.push(bytes));
  socket.on('error', () => undefined);
  cleanUp(t, () => {
    clearTimeout(timer);
    socket.destroy();
  });
  return { sentAt };
}

export interface FlashSink {
  sink: RtmpSink;
  /** The instants at which a flash has come. */
  seenAt: number[];
}

export async function seeFlashes(t: Attempt): Promise<FlashSink> {
  const seenAt: number[] = [];
  const sink = await rtmpSink(t, undefined, (message) => {
    if (isFlash(message)) seenAt.push(performance.now());
  });
  return { sink, seenAt };
}

/** Milliseconds of each flash from where it was sent to where it was seen. A picture and the next differ by one, so a flash may be two. */
export function delays(sentAt: readonly number[], seenAt: readonly number[]): number[] {
  const first = seenAt.filter((at, i) => i === 0 || at - seenAt[i - 1]! > 500);
  return first.flatMap((at) => {
    const sent = sentAt.filter((one, i) => one <= at && (i === 0 || one - sentAt[i - 1]! > 500)).at(-1);
    return sent === undefined ? [] : [at - sent];
  });
}
