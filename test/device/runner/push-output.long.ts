/** HLS / TS, CMAF and DASH to an origin: played from there, and what happens when it is away or stands still. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { liveDir } from '../../../device/run-dir.ts';
import { clip, ffprobe, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { davOrigin, loggingOrigin } from './push-origins.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { webdavMissing } from '../../helpers/servers/webdav.ts';

const LADDER = { renditions: [rendition(11, 320, 180, 300), rendition(12, 160, 90, 150)] };
const SMALL = { renditions: [rendition(11, 320, 180, 300)] };
const USER = { username: 'pusher', password: 'canary-password' };

async function pathOf(runner: TestRunner, publishingId: number, which: 'primary' | 'backup' = 'primary') {
  const { publishings } = await runner.report();
  return publishings.find((one) => one.publishingId === publishingId)![which]!;
}

/** Segments that a media playlist lists. */
function listed(playlist: string): string[] {
  return existsSync(playlist)
    ? readFileSync(playlist, 'utf8')
        .split('\n')
        .filter((line) => /^\d/u.test(line))
    : [];
}

test(
  'HLS / TS, CMAF and DASH are played from a WebDAV origin, and the Device serves none of them',
  { skip: webdavMissing },
  async (t) => {
    const dir = folder(t);
    const origin = await davOrigin(t, dir, USER.username, USER.password);
    const base = `127.0.0.1:${origin.port}`;
    const outputs = [
      output(21, 'HLS / TS', { ...USER, url: `webdav://${base}/ts/news.m3u8`, playlist_length: 4 }),
      output(22, 'CMAF', { ...USER, url: `http://${base}/deep/er/cmaf` }),
      output(23, 'DASH', { ...USER, url: `http://${base}/dash/` }),
    ];
    const runner = startRunner(t, dir, runSpec('pushed', fileSource(clip(dir)), outputs, LADDER));
    await running(runner);
    await until('all are up', async () => {
      const states = [await pathOf(runner, 21), await pathOf(runner, 22), await pathOf(runner, 23)];
      return states.every(({ state }) => state === 'up');
    });
    const playlist = join(origin.files, 'ts/11/index.m3u8');
    await until('the window is full', () => listed(playlist).length === 4);
    const probe = (path: string): string =>
      ffprobe(`http://${base}/${path}`, '-show_entries', 'stream=codec_name,width');
    for (const path of ['ts/news.m3u8', 'deep/er/cmaf/index.m3u8', 'deep/er/cmaf/manifest.mpd', 'dash/manifest.mpd'])
      assert.match(
        probe(path),
        /codec_name=h264\|width=320[\s\S]*codec_name=aac|codec_name=aac[\s\S]*codec_name=h264\|width=320/u,
        path,
      );
    assert.equal(existsSync(join(origin.files, 'dash/index.m3u8')), false, 'DASH has no HLS beside it');
    assert.deepEqual((await runner.report()).watch, []);
    assert.equal(existsSync(liveDir(dir, LIVESTREAM_ID, 21)), false);
    await until('what has left the window is deleted', () => {
      const names = readdirSync(join(origin.files, 'ts/11')).filter((name) => name.endsWith('.ts'));
      return names.length > 4 && !names.some((name) => name.startsWith('0-'));
    });
    for (const name of listed(playlist)) assert.ok(existsSync(join(origin.files, 'ts/11', name)), name);
    const message = JSON.stringify([await runner.report(), runner.events()]) + readFileSync(runner.files.log, 'utf8');
    assert.ok(!message.includes('canary'));
    await runner.stop();
    assert.equal(await runner.exited, 0);
    for (const path of ['ts/11/index.m3u8', 'deep/er/cmaf/100/index.m3u8'])
      if (existsSync(join(origin.files, path)))
        assert.match(readFileSync(join(origin.files, path), 'utf8'), /#EXT-X-ENDLIST/u, `${path} has its end mark`);
    assert.match(readFileSync(join(origin.files, 'dash/manifest.mpd'), 'utf8'), /type="static"/u);
    assert.deepEqual(runner.left(), []);
  },
);

test(
  'each path has its own origin, and one that is away or frozen does not touch the other',
  { skip: webdavMissing },
  async (t) => {
    const dir = folder(t);
    const backup = await davOrigin(t, dir, USER.username, USER.password);
    const primary = await loggingOrigin(t);
    const urls = { url: `http://127.0.0.1:${primary.port}/a`, backup_url: `http://127.0.0.1:${backup.port}/b` };
    const outputs = [output(21, 'HLS / TS', { ...USER, ...urls }, { backup: true })];
    const runner = startRunner(t, dir, runSpec('two-origins', fileSource(clip(dir)), outputs, SMALL));
    await running(runner);
    await until('both are up', async () =>
      [await pathOf(runner, 21), await pathOf(runner, 21, 'backup')].every(({ state }) => state === 'up'),
    );
    const ofPrimary = (): string[] => primary.log.filter((line) => /PUT .*\.ts$/u.test(line));
    process.kill(backup.pid, 'SIGSTOP');
    const lost = await until('the frozen origin is noticed', async () => {
      const status = await pathOf(runner, 21, 'backup');
      return status.state === 'retrying' && status;
    });
    assert.match(lost.last_error!, /silent for 5 s/u);
    backup.kill();
    await until('nobody is there', async () =>
      /refuses connections/u.test((await pathOf(runner, 21, 'backup')).last_error ?? ''),
    );
    const before = ofPrimary().length;
    await until('the primary goes on', () => ofPrimary().length > before + 2);
    assert.deepEqual([(await pathOf(runner, 21)).state, (await pathOf(runner, 21)).attempts], ['up', 0]);
    await backup.start();
    await until('the backup is up again', async () => (await pathOf(runner, 21, 'backup')).state === 'up');
    const playlist = join(backup.files, 'b/11/index.m3u8');
    for (const name of listed(playlist)) assert.ok(existsSync(join(backup.files, 'b/11', name)), name);
    // Each second one segment, in order, none left out.
    const numbers = ofPrimary().map((line) => Number(/(\d+)-[^/]*$/u.exec(line)![1]));
    assert.deepEqual(
      numbers,
      numbers.map((_, i) => i),
    );
    const kinds = runner
      .events()
      .filter(({ data }) => data.path === 'primary')
      .map(({ kind }) => kind);
    assert.deepEqual(kinds, ['destination_up']);
    await runner.stop();
    assert.equal(await runner.exited, 0);
  },
);
