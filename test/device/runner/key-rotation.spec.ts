/** Content keys that are replaced on air: what manifests say of each key, and what it opens. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { changeRun } from '../../../device/agent/runs/ask-runner.ts';
import { openMediaServer } from '../../../device/agent/media-server.ts';
import { boxesIn } from '../../../device/media/fmp4/fmp4-box.ts';
import { liveDir } from '../../../device/run-dir.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { itLong } from '../../helpers/counts.ts';
import { encryptedViewer } from '../../helpers/encrypted-viewer.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { until } from '../../helpers/until.ts';
import { periodKeys, PICTURE, rotating, SOUND } from './encrypted-output.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

const LADDER = { renditions: [rendition(11, 160, 90, 100)] };
const [WHOLE, QUICK] = [31, 32];

/** A server that brings the keys that the run lacks, as long as it is there. */
function server(t: TestScope, runnerNow: () => TestRunner): { isAway: boolean; keys: Record<string, string> } {
  const state = { isAway: false, keys: {} as Record<string, string> };
  let isOver = false;
  const serve = async (): Promise<void> => {
    const runner = runnerNow();
    const { key_rotations: rotations = [] } = await runner.report();
    for (const { publishingId, last, present, periodMs, ...how } of rotations) {
      for (const index of [present, present + 1]) {
        const period = periodKeys(index, periodMs, how);
        if (last >= index || state.isAway) continue;
        await changeRun(runner.files.socket, { type: 'keys', publishingId, period });
      }
    }
  };
  const again = async (): Promise<void> => {
    while (!isOver) {
      await serve().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  const done = again();
  cleanUp(t, async () => {
    isOver = true;
    await done;
  });
  return state;
}

/** Segments of a playlist with the key that is listed for them. */
function listed(playlist: string): { kid: string; map: string; name: string }[] {
  let [kid, map] = ['', ''];
  return playlist.split('\n').flatMap((line) => {
    kid = /#EXT-X-KEY:.*KEYID=0x(\w+)/u.exec(line)?.[1]?.toLowerCase() ?? kid;
    map = /#EXT-X-MAP:URI="([^"]+)"/u.exec(line)?.[1] ?? map;
    return line === '' || line.startsWith('#') ? [] : [{ kid, map, name: line }];
  });
}

/** As a server of ClearKey makes it of the stored key. */
function keyOf(kid: string, { key }: { key: string } = PICTURE): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(Buffer.from(kid, 'hex')).digest('hex').slice(0, 32);
}

/** ffmpeg as another decryptor, of the first fragment of a segment. */
function frames(
  dir: string,
  { map, name }: { map: string; name: string },
  key: string,
): { count: number; complaints: string } {
  const [moof, mdat] = [...boxesIn(readFileSync(join(dir, name)))].filter(
    ({ type }) => type === 'moof' || type === 'mdat',
  );
  const file = join(dir, 'opened.mp4');
  writeFileSync(file, Buffer.concat([readFileSync(join(dir, map)), moof!.bytes, mdat!.bytes]));
  const args = ['-v', 'error', '-decryption_key', key, '-i', file, '-f', 'framemd5', '-'];
  const { stdout, stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8' });
  return { count: stdout.split('\n').filter((line) => /^0,/u.test(line)).length, complaints: stderr };
}

test('content keys of a Destination are replaced on air without an interruption, and without new ones the former go on', async (t) => {
  const dir = folder(t);
  const periodMs = 4000;
  const keys = rotating('cenc', ['WIDEVINE', 'PLAYREADY'], periodMs);
  const settings = { playlist_length: 60 };
  const outputs = [
    output(WHOLE, 'CMAF', settings, { drm: keys }),
    output(QUICK, 'CMAF', { ...settings, low_latency: true }, { drm: keys }),
  ];
  const runner = startRunner(t, dir, runSpec('rotating', fileSource(clip(dir)), outputs, LADDER));
  const keyServer = server(t, () => runner);
  await running(runner);
  const track = (id: number): string => join(liveDir(dir, LIVESTREAM_ID, id), '256');
  const playlist = (id: number): string => readFileSync(join(track(id), 'index.m3u8'), 'utf8');
  const kids = (id: number): string[] => [...new Set(listed(playlist(id)).map(({ kid }) => kid))];
  await until('both are listed', () => [WHOLE, QUICK].every((id) => existsSync(join(track(id), 'index.m3u8'))));
  await until('both have had new keys', () => [WHOLE, QUICK].every((id) => kids(id).length > 1));
  keyServer.isAway = true;
  const missing = await until('there are no keys', () => runner.events().find(({ kind }) => kind === 'keys_missing'));
  assert.match(missing.message, /^"CMAF 3\d" has no content keys of the period from \d{4}-.*Z: the former ones go on/u);
  const before = listed(playlist(WHOLE)).length;
  await until('segments go on', () => listed(playlist(WHOLE)).length > before + 1);
  keyServer.isAway = false;
  await until('the keys that came late are used', () =>
    runner
      .events()
      .some(
        ({ seq, kind, data }) =>
          seq > missing.seq && kind === 'keys_replaced' && data['publishingId'] === missing.data['publishingId'],
      ),
  );
  await runner.stop();
  await runner.exited;

  const { periods } = (JSON.parse(readFileSync(runner.files.spec, 'utf8')) as RunSpec).outputs[0]!.drm!.rotation!;
  assert.ok(periods.length > 1 && periods.length < 4);
  for (const id of [WHOLE, QUICK]) {
    const text = playlist(id);
    assert.ok(!text.includes('#EXT-X-DISCONTINUITY\n'), 'media time goes on');
    const mpd = readFileSync(join(liveDir(dir, LIVESTREAM_ID, id), 'manifest.mpd'), 'utf8');
    const announced = [...mpd.matchAll(/default_KID="([^"]+)"/gu)].map(([, kid]) => kid!.replaceAll('-', ''));
    for (const kid of kids(id)) assert.ok(announced.includes(kid), `${kid} is in the MPD`);
    assert.equal(mpd.match(/<Period /gu)!.length, kids(id).length);
    const opened = new Map(kids(id).map((kid) => [kid, listed(text).findLast((one) => one.kid === kid)!]));
    const [first, second] = [...opened.keys()].slice(-2) as [string, string];
    for (const [kid, segment] of opened) assert.deepEqual(frames(track(id), segment, keyOf(kid)).complaints, '', kid);
    assert.ok(frames(track(id), opened.get(second)!, keyOf(second)).count > 0);
    assert.notEqual(frames(track(id), opened.get(second)!, keyOf(first)).complaints, '');
  }
});

itLong(
  'a browser plays on while keys are replaced, and a killed runner goes on with the keys of the period',
  async (t) => {
    const dir = folder(t);
    const periodMs = 10_000;
    const media = await openMediaServer({ deviceDir: dir, host: '127.0.0.1', port: 0, formerPort: 0, log: silentLog });
    cleanUp(t, () => media.close());
    const settings = { segment_duration: 2, playlist_length: 30 };
    const outputs = [
      output(WHOLE, 'DASH', settings, { drm: rotating('cenc', ['WIDEVINE', 'PLAYREADY'], periodMs) }),
      output(QUICK, 'CMAF', settings, { drm: rotating('cbcs', ['WIDEVINE', 'PLAYREADY', 'FAIRPLAY'], periodMs) }),
    ];
    const spec = runSpec('watched', fileSource(clip(dir)), outputs, LADDER);
    let runner = startRunner(t, dir, spec);
    server(t, () => runner);
    await running(runner);
    await until('both are up', async () =>
      (await runner.report()).publishings.every(({ primary }) => primary.state === 'up'),
    );
    // A player that is given all keys beforehand, as one with a licence for the whole evening.
    const now = Math.floor(Date.now() / periodMs);
    const how = { systems: [], encryption_mode: 'cenc' as const };
    const all = Array.from({ length: 60 }, (_, i) => periodKeys(now - 2 + i, periodMs, how).keys).flat();
    const keys = Object.fromEntries(all.map(({ kid, key }) => [kid, key]));
    const viewer = await encryptedViewer(t);
    for (const path of [`${WHOLE}/manifest.mpd`, `${QUICK}/manifest.mpd`, `${QUICK}/index.m3u8`]) {
      const screen = await viewer.watch(`${media.url}/live/${LIVESTREAM_ID}/${path}`, keys);
      await until(`${path} plays through two replacements`, async () => {
        const { errors, currentTime, frames: shown } = await screen.look();
        assert.deepEqual(errors, [], path);
        return shown > 0 && currentTime > 25;
      });
      await screen.close();
    }
    const replaced = (): number => runner.events().filter(({ kind }) => kind === 'keys_replaced').length;
    assert.ok(replaced() > 4);

    const playlist = (track: number): string =>
      readFileSync(join(liveDir(dir, LIVESTREAM_ID, QUICK), String(track), 'index.m3u8'), 'utf8');
    process.kill(runner.pid, 'SIGKILL');
    await runner.exited;
    const former = listed(playlist(256));
    runner = startRunner(t, dir, JSON.parse(readFileSync(runner.files.spec, 'utf8')) as RunSpec);
    await running(runner);
    const after = await until('segments of the next runner', () => {
      const all = listed(playlist(256));
      return all.length > former.length + 2 && all;
    });
    assert.match(playlist(256), /#EXT-X-DISCONTINUITY\n/u);
    for (const { kid } of after) assert.ok(kid in keys, 'a key of no period');
    const folderOf = join(liveDir(dir, LIVESTREAM_ID, QUICK), '256');
    for (const segment of [former.at(-1)!, after.at(-1)!])
      assert.equal(frames(folderOf, segment, keyOf(segment.kid)).complaints, '');
    assert.ok(listed(playlist(257)).every(({ kid }) => keys[kid] === keyOf(kid, SOUND)));
  },
);
