/** A pushed source that is copied: its runner reads it without an ffmpeg, and gives back to one what it does not read. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { liveDir } from '../../../device/run-dir.ts';
import { itLong } from '../../helpers/counts.ts';
import { frameHashes } from '../../helpers/enhanced-tags.ts';
import { freePort } from '../../helpers/ports.ts';
import { letPass } from '../../helpers/pass.ts';
import { until } from '../../helpers/until.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';
import { feed, type Feeder } from './feeder.ts';
import { clip, commandLine, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { LIVESTREAM_ID, output, rendition, runSpec, source } from './specs.ts';

const KEY = 'canary-key-1';
const HLS = [output(21, 'HLS / TS', { playlist_length: 120 })];
const FRAGMENTED = [output(22, 'CMAF', { playlist_length: 120 }), output(23, 'DASH', { playlist_length: 120 })];
const copied = rendition(11, 320, 180, 800, { codec: 'copy' });
const SPEC = {
  renditions: [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }],
  startTimeoutSeconds: 60,
};

interface PushedCopy {
  dir: string;
  start(): TestRunner;
  pusher: Feeder;
}

async function pushedCopy(t: TestScope, makeClip: (dir: string) => string, outputs = HLS): Promise<PushedCopy> {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  const pusher = feed(t, makeClip(dir), '-f', 'flv', `rtmp://127.0.0.1:${port}/live/${KEY}`);
  return { dir, pusher, start: () => startRunner(t, dir, runSpec('copied-push', from, outputs, SPEC)) };
}

function segments(dir: string): string[] {
  const live = join(liveDir(dir, LIVESTREAM_ID, 21), '11');
  return readdirSync(live)
    .filter((name) => name.endsWith('.ts'))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => join(live, name));
}

/** Pictures of all segments that are listed there, which have one initialisation segment. */
function fragmentedHashes(dir: string, publishingId: number): string[] {
  const live = liveDir(dir, LIVESTREAM_ID, publishingId);
  const video = join(live, String(Math.min(...readdirSync(live).map(Number).filter(Number.isInteger))));
  const names = readdirSync(video);
  const inits = names.filter((name) => name.startsWith('init'));
  assert.equal(inits.length, 1);
  const media = names
    .filter((name) => name.endsWith('.m4s'))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  const whole = join(dir, `whole-${publishingId}.mp4`);
  writeFileSync(whole, Buffer.concat([...inits, ...media].map((name) => readFileSync(join(video, name)))));
  return frameHashes(whole, 'v:0');
}

test('a pushed source is copied picture by picture without an ffmpeg, and ends within the time of a stop', async (t) => {
  const { dir, start, pusher } = await pushedCopy(t, clip);
  const runner = start();
  assert.equal((await running(runner)).source.state, 'up');
  await until('segments', () => segments(dir).length >= 3);
  assert.deepEqual(runner.children(), []);
  const all = frameHashes(clip(dir), 'v:0');
  const got = segments(dir)
    .slice(0, 2)
    .flatMap((path) => frameHashes(path, 'v:0'));
  const at = all.indexOf(got[0]!);
  assert.ok(at >= 0 && got.length >= 60, `${got.length} from ${at}`);
  assert.deepEqual(got, [...all, ...all, ...all].slice(at, at + got.length));
  const { fps, bitrate_kbps: kbps } = (await runner.report()).source;
  assert.ok(fps > 20 && kbps > 10, `${fps} ${kbps}`);

  pusher.kill();
  await until('source_lost', () => runner.events().some(({ kind }) => kind === 'source_lost'));
  assert.ok(!runner.events().some(({ data }) => data['change'] === 'reader'));
  await runner.stop();
  assert.equal(await runner.exited, 0);
});

itLong(
  'a runner that is killed is followed by one that goes on with the last keyframe, and no picture is missing or there twice',
  async (t) => {
    const { dir, start } = await pushedCopy(t, clip, [...HLS, ...FRAGMENTED]);
    const first = start();
    await running(first);
    await until('segments', () => segments(dir).length >= 2);
    // Between two keyframes: one Destination writes after the other.
    await letPass(300);
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const before = segments(dir).length;
    const second = start();
    await running(second);
    await until('more segments', () => segments(dir).length >= before + 3);
    assert.deepEqual(second.children(), []);
    await second.stop();
    assert.equal(await second.exited, 0);
    const all = frameHashes(clip(dir), 'v:0');
    const inTransportStream = segments(dir).flatMap((path) => frameHashes(path, 'v:0'));
    for (const got of [inTransportStream, ...[22, 23].map((id) => fragmentedHashes(dir, id))]) {
      const at = all.indexOf(got[0]!);
      const rounds = Math.ceil(got.length / all.length) + 1;
      assert.deepEqual(
        got,
        Array.from({ length: rounds }, () => all)
          .flat()
          .slice(at, at + got.length),
      );
    }
  },
);

itLong('sound of a kind that only ffmpeg reads is given back to one, with one event', async (t) => {
  const { dir, start } = await pushedCopy(t, (folderOf) => {
    const path = join(folderOf, 'pce.mp4');
    const sources = [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=320x180:rate=30',
      '-f',
      'lavfi',
      '-i',
      'sine=sample_rate=48000',
    ];
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-c:a', 'aac', '-aac_pce', '1', '-t', '10'];
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...sources, ...codecs, path]);
    return path;
  });
  const runner = start();
  await running(runner);
  await until('segments', () => segments(dir).length >= 2);
  assert.ok(runner.children().some(({ pid }) => /live_flv/u.test(commandLine(pid))));
  const reports = runner.events().filter(({ data }) => data['change'] === 'reader');
  assert.equal(reports.length, 1);
  assert.match(reports[0]!.message, /is read by ffmpeg from now on, .*: its AAC is of a kind that is not read here\./u);
});
