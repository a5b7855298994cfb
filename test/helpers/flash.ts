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
import { cleanUp, type TestScope } from './clean-up.ts';

export const FLASH_FPS = 25;
const FLASH_EVERY = 50;
const SECONDS = 20;
/** Two pictures of a flash are nearer, two flashes are farther apart. */
const FRAME_GAP_MS = 500;
/** At 640x360 the negative takes some 23 kB, any other picture between keyframes up to 4 kB. */
const FLASH_BYTES_A_COLUMN = 24;

export function makeFlashClip(path: string, width: number, height: number): void {
  const isFlash = `eq(mod(n\\,${FLASH_EVERY})\\,${FLASH_EVERY / 2})`;
  const picture = [
    `testsrc2=size=${width}x${height}:rate=${FLASH_FPS}`,
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
function isFlash({ type, body }: Pick<RtmpMessage, 'type' | 'body'>, width: number): boolean {
  return type === 9 && body[0] === 0x27 && body[1] === 1 && body.length > width * FLASH_BYTES_A_COLUMN;
}

/** Sends the clip, of this width, again and again at its own rate, each message at its time. */
export function pushFlashes(
  t: TestScope,
  clip: string,
  width: number,
  port: number,
  key: string,
): { sentAt: number[] } {
  // The last one says that the stream is over.
  const messages = flvMessages(readFileSync(clip)).filter(({ type, body }) => type !== 9 || body[1] !== 2);
  const heads = messages.filter(({ time, type, body }) => type === 18 || (time === 0 && body[1] === 0));
  const media = messages.filter((message) => !heads.includes(message));
  // The first keyframe is coarser than all others: after another round it would be a new picture.
  const again = media.findIndex(({ type, time, body }) => type === 9 && time > 1000 && body[0] === 0x17);
  const sentAt: number[] = [];
  let timer: NodeJS.Timeout | undefined;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const start = (): void => {
    const began = performance.now();
    for (const { type, body } of heads) publishing.media({ type, body, time: 0 });
    let [next, from] = [0, 0];
    const send = (): void => {
      for (;;) {
        const { type, time, body } = media[next]!;
        const at = from + time;
        if (began + at > performance.now()) break;
        publishing.media({ type, time: at, body });
        if (isFlash({ type, body }, width)) sentAt.push(performance.now());
        next += 1;
        if (next < media.length) continue;
        next = again;
        from += SECONDS * 1000 - media[again]!.time;
      }
      timer = setTimeout(send, 2);
    };
    send();
  };
  const publishing: RtmpPublishing = new RtmpPublishing(
    { url: `rtmp://127.0.0.1:${port}/live`, app: 'live', key },
    {
      send: (bytes) => void socket.write(bytes),
      onPublishing: start,
      onRefused: ({ words }) => socket.destroy(new Error(words)),
    },
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

export async function seeFlashes(t: TestScope, width: number): Promise<FlashSink> {
  const seenAt: number[] = [];
  const sink = await rtmpSink(t, undefined, (message) => {
    if (isFlash(message, width)) seenAt.push(performance.now());
  });
  return { sink, seenAt };
}

/** Milliseconds of each flash from where it was sent to where it was seen. A picture and the next differ by one, so a flash may be two. */
export function delays(sentAt: readonly number[], seenAt: readonly number[]): number[] {
  const firstOf = (instants: readonly number[]): number[] =>
    instants.filter((at, i) => i === 0 || at - instants[i - 1]! > FRAME_GAP_MS);
  const sent = firstOf(sentAt);
  return firstOf(seenAt).flatMap((at) => {
    const before = sent.findLast((one) => one <= at);
    return before === undefined ? [] : [at - before];
  });
}
