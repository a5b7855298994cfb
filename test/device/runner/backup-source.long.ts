/** A backup source in a real run: it goes on air when the first is lost, and the first source returns. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { failoverField } from '../../../domain/shapes/broadcasts/failover.ts';
import type { RenditionSpec, SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { freePort } from '../../helpers/ports.ts';
import { letPass } from '../../helpers/pass.ts';
import { until } from '../../helpers/until.ts';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { feed, type Feeder } from './feeder.ts';
import { openRendition } from './source-form.ts';
import { BACKUP, FIRST, RETURNED, sourcePair, TO_BACKUP } from './source-pair.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';
import { startWebServer } from './web-server.ts';

test('a lost source gives way to its backup, and returns once it has been good', async (t) => {
  const dir = folder(t);
  const file = clip(dir);
  const options = { after_seconds: 1, return_after_seconds: 2 };
  const { runner, first, again, failovers } = await sourcePair(t, dir, [file, file], options);
  await running(runner);
  // The backup has been good for a second by then.
  await letPass(3000);
  first.kill();
  await until('the backup is on air', () => failovers().length === 1);
  assert.deepEqual(failovers()[0]!.data, { reason: 'loss', ...TO_BACKUP });
  const { source: status, runtime } = await runner.report();
  assert.deepEqual([status.channelId, status.state, runtime.source], [BACKUP, 'up', BACKUP]);
  again();
  await until('the first source returns', () => failovers().length === 2);
  assert.deepEqual(failovers()[1]!.data, RETURNED);
  assert.equal((await runner.report()).runtime.source, FIRST);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
});

const ENCODED = rendition(11, 320, 180, 400, QUICK.rendition);
const COPIED: RenditionSpec = {
  ...rendition(11, 320, 180, 400, { codec: 'copy' }),
  audio: { ...ENCODED.audio!, codec: 'copy' },
};
const CODINGS = { encoded: ENCODED, 'encoded as the source': openRendition(), copied: COPIED };

test('a backup by HLS takes over from a source by HLS whose origin has died, and gives way to it when it begins anew', async (t) => {
  const dir = folder(t);
  const file = clip(dir);
  const web = await startWebServer(t, dir);
  const origin = (name: string): Feeder => {
    rmSync(join(dir, name), { recursive: true, force: true });
    mkdirSync(join(dir, name));
    const list = ['-hls_time', '1', '-hls_list_size', '5', '-hls_flags', 'delete_segments'];
    return feed(t, file, '-f', 'hls', ...list, join(dir, name, 'live.m3u8'));
  };
  const first = origin('first');
  origin('backup');
  for (const name of ['first', 'backup'])
    await until(`segments of the ${name}`, () => existsSync(join(dir, name, 'live3.ts')));
  const hls = (channelId: number, name: string): SourceSpec => ({
    ...source('Stream', { url: `${web.url}/${name}/live.m3u8` }),
    channelId,
    name,
  });
  const spec = {
    ...runSpec('hls-pair', hls(FIRST, 'first'), [output(21, 'HLS / TS', QUICK.output)], { renditions: [ENCODED] }),
    backup: hls(BACKUP, 'backup'),
    pair: { first: FIRST, backup: BACKUP },
    failover: failoverField.parse({ after_seconds: 1, return_after_seconds: 2 }),
  };
  const runner = startRunner(t, dir, spec);
  const { source: now } = await running(runner);
  assert.equal(now.channelId, FIRST);
  const failovers = (): unknown[] => runner.events().flatMap(({ kind, data }) => (kind === 'failover' ? [data] : []));
  await until('the backup is read, too', () => web.requests.filter((path) => /backup.*\.ts/u.test(path)).length > 2);
  first.kill();
  await until('the backup is on air', () => failovers().length === 1);
  assert.deepEqual(failovers(), [{ reason: 'loss', ...TO_BACKUP }]);
  const goesOn = async (what: string): Promise<void> => {
    const seen = rendered(dir).at(-1);
    await until(`pictures of the ${what}`, () => rendered(dir).indexOf(seen!) < rendered(dir).length - 2);
    assert.ok(lastBrightness(rendered(dir).at(-1)!) > 60, `${what}: the slate`);
  };
  await goesOn('backup');
  origin('first');
  await until('the first source is back', () => failovers().length === 2);
  assert.deepEqual(failovers()[1], RETURNED);
  await goesOn('first source');
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
});

test('a start whose source is away goes on air with its backup, whatever both are, and returns when it comes', async (t) => {
  const dir = folder(t);
  const file = clip(dir);
  execFileSync('ffmpeg', ['-v', 'error', '-i', file, '-c', 'copy', join(dir, 'line.ts')]);
  const web = await startWebServer(t, dir);
  const [udp, srt, rtsp, nobody] = [await freePort(), await freePort(), await freePort(), await freePort()];
  feed(t, file, '-f', 'mpegts', `udp://127.0.0.1:${udp}?pkt_size=1316`);
  const away: SourceSpec[] = [
    source('Stream', { url: `udp://127.0.0.1:${nobody}` }),
    source('Stream', { url: `rtsp://127.0.0.1:${rtsp}/cam` }),
    source('Stream', { url: `rtmp://127.0.0.1:${rtsp}/live/key` }),
    source('Stream', { url: `${web.url}/gone.m3u8` }),
    source('SRT', { mode: 'caller', host: '127.0.0.1', port: srt }),
    source('RTMP-Push', { app: 'live', stream_key: 'nobody-has-it' }),
  ];
  const backups: SourceSpec[] = [
    source('Stream', { url: `udp://127.0.0.1:${udp}` }),
    source('Stream', { url: `${web.url}/line.ts` }),
  ];
  let runs = 0;
  for (const [coding, renditions] of Object.entries(CODINGS))
    for (const [i, first] of away.entries()) {
      const backup = backups[i % 2]!;
      const spec = {
        ...runSpec(
          `away-${runs++}`,
          { ...first, channelId: FIRST, name: 'A' },
          [output(21, 'HLS / TS', QUICK.output)],
          {
            renditions: [renditions],
            startTimeoutSeconds: 60,
          },
        ),
        backup: { ...backup, channelId: BACKUP, name: 'B' },
        pair: { first: FIRST, backup: BACKUP },
        failover: failoverField.parse({ return_after_seconds: 2 }),
      };
      const what = `${coding}, ${first.type} ${first.settings.url ?? ''}`;
      const runner = startRunner(t, dir, spec);
      const { source: now } = await running(runner);
      assert.equal(now.channelId, BACKUP, what);
      const failovers = () => runner.events().filter(({ kind }) => kind === 'failover');
      assert.deepEqual(
        failovers().map(({ data }) => data),
        [{ reason: 'loss', ...TO_BACKUP }],
        what,
      );
      if (i === 0 && coding !== 'copied') {
        const comes = feed(t, file, '-f', 'mpegts', `udp://127.0.0.1:${nobody}?pkt_size=1316`);
        await until('the first source is on air', () => failovers().length === 2);
        assert.deepEqual(failovers()[1]!.data, RETURNED, what);
        comes.kill();
      }
      await runner.stop();
      assert.equal(await runner.exited, 0, what);
      assert.deepEqual(runner.left(), [], what);
    }
});
