/** A source that is copied goes into MP4 without an ffmpeg: CMAF, parts of low latency, Recordings; what only ffmpeg packs has one. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { itLong } from '../../helpers/counts.ts';
import { frameHashes } from '../../helpers/enhanced-tags.ts';
import { playerPages } from '../../helpers/player-page.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';
import { feed } from './feeder.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec, source } from './specs.ts';
import { serveLive } from './web-server.ts';

const KEY = 'canary-key-1';
const [CMAF, LOW, RECORD] = [22, 23, 41];
const MANY = { playlist_length: 120 };
const OUTPUTS = [
  output(CMAF, 'CMAF', MANY),
  output(LOW, 'CMAF', { ...MANY, low_latency: true }),
  output(RECORD, 'Record'),
];
const copied = rendition(11, 320, 180, 800, { codec: 'copy' });
const SPEC = {
  renditions: [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }],
  startTimeoutSeconds: 60,
};

async function pushed(t: TestScope): Promise<{ dir: string; start(): TestRunner }> {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  feed(t, clip(dir), '-f', 'flv', `rtmp://127.0.0.1:${port}/live/${KEY}`);
  return { dir, start: () => startRunner(t, dir, runSpec('packed', from, OUTPUTS, SPEC)) };
}

const recordings = (dir: string): string[] =>
  readdirSync(recordingsDir(dir, LIVESTREAM_ID))
    .sort()
    .map((name) => join(recordingsDir(dir, LIVESTREAM_ID), name));

function segments(dir: string, id: number): number {
  const path = join(liveDir(dir, LIVESTREAM_ID, id), '256', 'index.m3u8');
  return existsSync(path) ? readFileSync(path, 'utf8').split('#EXTINF').length - 1 : 0;
}

/** Shown pictures follow each other as in the clip, which is sent again and again; sound is there as long. */
function assertWhole(dir: string, path: string, atLeast: number): void {
  const all = frameHashes(clip(dir), 'v:0');
  const got = frameHashes(path, 'v:0');
  const at = all.indexOf(got[0]!);
  assert.ok(at >= 0 && got.length >= atLeast, `${path}: ${got.length} from ${at}`);
  const rounds = Math.ceil((at + got.length) / all.length);
  assert.deepEqual(
    got,
    Array.from({ length: rounds }, () => all)
      .flat()
      .slice(at, at + got.length),
    path,
  );
  const seconds = frameHashes(path, 'a:0').length * (1024 / 48_000);
  assert.ok(Math.abs(seconds - got.length / 30) < 0.7, `${path}: ${seconds} s of sound`);
}

test('a copy is packed picture by picture without an ffmpeg, and what was recorded before a kill plays through', async (t) => {
  const { dir, start } = await pushed(t);
  const first = start();
  await running(first);
  const isThere = (runner: TestRunner, from: number): Promise<unknown> =>
    until('segments and a Recording', () => {
      const isRecorded = runner.events().filter(({ kind }) => kind === 'recording_opened').length > from;
      return isRecorded && [CMAF, LOW].every((id) => segments(dir, id) > 2 + 4 * from);
    });
  await isThere(first, 0);
  assert.deepEqual(first.children(), []);
  const before = segments(dir, CMAF);
  process.kill(first.pid, 'SIGKILL');
  await first.exited;

  const second = start();
  await running(second);
  await isThere(second, 1);
  await until('more segments', () => segments(dir, CMAF) > before + 2);
  assert.deepEqual(second.children(), []);
  await second.stop();
  assert.equal(await second.exited, 0);
  const files = recordings(dir);
  assert.equal(files.length, 2);
  for (const path of files) assertWhole(dir, path, 50);
  for (const id of [CMAF, LOW]) {
    const folderOf = liveDir(dir, LIVESTREAM_ID, id);
    const list = readFileSync(join(folderOf, '256', 'index.m3u8'), 'utf8');
    const named = [...list.matchAll(/^[^#\n]+$/gmu)].map(([name]) => name);
    assert.deepEqual(
      named.filter((name) => !existsSync(join(folderOf, '256', name))),
      [],
      'none is missing',
    );
    assert.equal(list.split('#EXT-X-DISCONTINUITY\n').length - 1, 1, list);
  }
  assert.ok(!second.events().some(({ data }) => data['change'] === 'packer'));
});

test('sound that only ffmpeg packs is given to one, with one event for each Destination; one that is killed is replaced', async (t) => {
  const dir = folder(t);
  const foreign = join(dir, 'foreign.mp4');
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', clip(dir), '-c:v', 'copy', '-c:a', 'ac3', foreign]);
  const runner = startRunner(t, dir, runSpec('packed', fileSource(foreign), OUTPUTS, SPEC));
  await running(runner);
  const reports = (): RunEvent[] => runner.events().filter(({ data }) => data['change'] === 'packer');
  await until('all are told', () => reports().length >= OUTPUTS.length);
  for (const { publishingId } of OUTPUTS.slice(0, 2))
    await until('it is up', () =>
      runner.events().some(({ kind, data }) => kind === 'destination_up' && data['publishingId'] === publishingId),
    );
  assert.deepEqual(
    reports()
      .map(({ data }) => data['publishingId'])
      .sort(),
    [CMAF, LOW, RECORD],
  );
  assert.match(
    reports()[0]!.message,
    /^Media for "CMAF 22" is packed by ffmpeg from now on, .*: its sound is neither AAC/u,
  );
  process.kill(runner.childNamed('frag_keyframe'), 'SIGKILL');
  const down = await until('its end is noticed', () => runner.events().find(({ kind }) => kind === 'destination_down'));
  assert.match(down.message, /The packager ended/u);
  const lost = down.data['publishingId'];
  await until('it is back', () => {
    const own = runner.events().filter(({ data }) => data['publishingId'] === lost);
    return own.findLastIndex(({ kind }) => kind === 'destination_up') > own.indexOf(down);
  });
  assert.deepEqual(
    runner.events().flatMap(({ kind, data }) => (kind === 'destination_down' ? [data['publishingId']] : [])),
    [lost],
    'the others do not notice',
  );
});

itLong('hls.js, shaka and dash.js play what is packed, with low latency and without', async (t) => {
  const { dir, start } = await pushed(t);
  const runner = start();
  await running(runner);
  await until('segments', () => [CMAF, LOW].every((id) => segments(dir, id) > 3));
  const base = `${await serveLive(t, dir)}/live/${LIVESTREAM_ID}`;
  const pages = await playerPages();
  cleanUp(t, () => pages.close());
  const ways = (['hls.js', 'shaka', 'dash.js'] as const).flatMap((player) =>
    [CMAF, LOW].map((id) => [player, `${id}/${player === 'hls.js' ? 'index.m3u8' : 'manifest.mpd'}`] as const),
  );
  for (const [player, path] of ways) {
    const viewer = await pages.watch(player, `${base}/${path}`);
    const seen = async (): Promise<number> => {
      const { frames, size, errors } = await viewer.look();
      assert.deepEqual(errors, [], `${player} ${path}`);
      return size === '320x180' ? frames : 0;
    };
    await until(`${player} plays ${path}`, async () => (await seen()) > 90);
    await viewer.close();
  }
  assert.deepEqual(runner.children(), []);
});
