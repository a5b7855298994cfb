/** A live source by HTTP at a low rate, paced by its server: on air with its first keyframe, and no later than it comes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { isRandomAccess, PACKET_BYTES, pidOf } from '../../../device/media/mpeg-ts.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { change } from './changing.ts';
import { clip, folder, running, startRunner, until } from './bench.ts';
import { fileSource, output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
/** bit/s of pictures, sound, tables and filling. */
const RATE = 130_000;
const SECONDS = 60;
const PICTURES = 0x100;

/** 640×360 at 25 a second with a keyframe every two seconds, bright, at a constant rate. */
function liveClip(dir: string): Buffer {
  const path = join(dir, 'live.ts');
  const picture = ['-f', 'lavfi', '-i', 'color=white:size=640x360:rate=25,drawbox=x=100:w=100:color=gray'];
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  const coding = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-g',
    '50',
    '-b:v',
    '60k',
    '-maxrate',
    '60k',
    '-bufsize',
    '60k',
  ];
  const mux = ['-c:a', 'aac', '-b:a', '32k', '-muxrate', String(RATE), '-f', 'mpegts'];
  execFileSync('ffmpeg', ['-v', 'error', ...picture, ...sound, '-t', String(SECONDS), ...coding, ...mux, path]);
  return readFileSync(path);
}

interface LiveServer {
  url: string;
  /** When the first one went to whoever joined last. */
  keyframeAt: number | undefined;
  /** Who listens hears nothing more, and who comes is refused. */
  isDown: boolean;
  cut(): void;
}

/** Sends what is due now, to whoever has joined: no length, no end, nothing that was before. */
async function serveLive(t: TestContext, media: Buffer): Promise<LiveServer> {
  const origin = performance.now();
  const due = (): number =>
    PACKET_BYTES * Math.floor((((performance.now() - origin) / 1000) * RATE) / 8 / PACKET_BYTES);
  const state = { isDown: false, keyframeAt: undefined as number | undefined };
  const server = createServer((_request, response) => {
    if (state.isDown) return void response.writeHead(503).end();
    response.writeHead(200, { 'content-type': 'video/mp2t' });
    let at = due();
    const timer = setInterval(() => {
      const to = due();
      for (let packet = at; packet < to; packet += PACKET_BYTES) {
        const from = packet % media.length;
        if (pidOf(media, from) === PICTURES && isRandomAccess(media, from)) state.keyframeAt ??= performance.now();
      }
      if (to > at) response.write(media.subarray(at % media.length, (at % media.length) + to - at));
      at = to;
    }, 40);
    response.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => server.closeAllConnections();
  cleanUp(t, () => {
    cut();
    server.close();
  });
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut });
}

test(
  'switched to, lost and back with its keyframes, by an open address and by a secret one',
  { timeout: 90_000 },
  async (t) => {
    const dir = folder(t);
    const server = await serveLive(t, liveClip(dir));
    const runner = startRunner(t, dir, runSpec('live', fileSource(clip(dir)), HLS, SMALL));
    await running(runner);
    const instant = (kind: string): Promise<number> =>
      until(kind, 20, () => {
        const event = runner.events().findLast((one) => one.kind === kind);
        return event !== undefined && Date.parse(event.at);
      });
    for (const [path, channelId] of [
      ['/live', 4],
      ['/live.ts?token=canary', 5],
    ] as const) {
      server.keyframeAt = undefined;
      const live = { ...source('Stream', { url: `${server.url}${path}` }), name: 'Live', channelId };
      const answer = await change(runner, { type: 'source', source: live });
      const behind = (performance.now() - server.keyframeAt!) / 1000;
      assert.equal(answer.status, 200, answer.detail);
      t.diagnostic(
        `${path}: switched after ${answer.seconds.toFixed(2)} s, ${behind.toFixed(2)} s after its first keyframe`,
      );
      // The defaults of ffmpeg take four seconds more than the keyframe.
      assert.ok(behind < 2.5, String(behind));
    }
    const count = rendered(dir).length;
    await until(
      'its picture',
      15,
      () => rendered(dir).length > count + 1 && lastBrightness(rendered(dir).at(-1)!) > 150,
    );
    server.isDown = true;
    const cutAt = Date.now();
    server.cut();
    const lostAt = await instant('source_lost');
    server.isDown = false;
    const backAt = await instant('source_restored');
    t.diagnostic(`lost after ${lostAt - cutAt} ms, back ${backAt - lostAt} ms later`);
    // What the analysis had waited for would be played first, or three seconds of it.
    assert.ok(lostAt - cutAt < 2500);
  },
);
