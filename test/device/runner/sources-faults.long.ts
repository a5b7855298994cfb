/** Faults of an ingest, and tricks of a source. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunReport } from '../../../domain/run.ts';
import { freePort } from '../../helpers/ports.ts';
import { clip, commandLine, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';
import { startWebServer } from './web-server.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];

function final(runner: TestRunner): RunReport {
  return JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport;
}

test('a frozen ingest is covered by the last frame and the slate and is replaced, and so is a killed one', async (t) => {
  const dir = folder(t);
  const runner = startRunner(t, dir, runSpec('frozen', fileSource(clip(dir)), HLS, SMALL));
  await running(runner);
  const encoder = runner.childNamed('pipe:5');
  const eventsOf = (...kinds: string[]): string[] =>
    runner
      .events()
      .map(({ kind }) => kind)
      .filter((kind) => kinds.includes(kind));
  const frozen = runner.childNamed('stream_loop');
  process.kill(frozen, 'SIGSTOP');
  await until('source_restored', () => eventsOf('source_restored').length === 1);
  assert.deepEqual(eventsOf('source_lost', 'source_restored').slice(0, 2), ['source_lost', 'source_restored']);
  const next = runner.childNamed('stream_loop');
  assert.notEqual(next, frozen);
  await until('the picture is back', () => lastBrightness(rendered(dir).at(-1)!) > 60);

  process.kill(next, 'SIGKILL');
  await until('another ingest', async () => {
    const again = runner.children().find(({ pid }) => commandLine(pid).includes('stream_loop'));
    return again !== undefined && again.pid !== next && (await runner.report()).source.state === 'up';
  });
  assert.equal(runner.childNamed('pipe:5'), encoder);
});

test('the reason why a source gives nothing yet is an event once, and the reason of the start in the same words', async (t) => {
  const dir = folder(t);
  // By HTTP it is asked by the proxy, whose own answer ffmpeg repeats as a mere status.
  const url = `http://127.0.0.1:${await freePort()}/live.ts`;
  const runner = startRunner(
    t,
    dir,
    runSpec('nobody', source('Stream', { url }), HLS, { ...SMALL, startTimeoutSeconds: 4 }),
  );
  await runner.exited;
  const why = /^its address refuses the connection \(Connection refused\); nothing listens there$/u;
  const lost = runner.events().filter(({ kind }) => kind === 'source_lost');
  assert.equal(lost.length, 1);
  assert.match(lost[0]!.message, /^Channel "Feed" gives nothing yet: its address refuses the connection/u);
  assert.match(String(lost[0]!.data['reason']), why);
  assert.match(final(runner).error!, /no media within 4 s: its address refuses the connection/u);
});

test('a playlist that leads to a file of this machine is not followed', async (t) => {
  const dir = folder(t);
  const canary = join(dir, 'canary.mp4');
  writeFileSync(canary, readFileSync(clip(dir)));
  const segments = `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile://${canary}\n#EXT-X-ENDLIST\n`;
  writeFileSync(join(dir, 'evil.m3u8'), segments);
  const web = await startWebServer(t, dir);
  for (const [id, query] of [
    ['plain', ''],
    ['secret', '?token=a-token'],
  ] as const) {
    const from = source('Stream', { url: `${web.url}/evil.m3u8${query}` });
    const runner = startRunner(t, dir, runSpec(id, from, HLS, { ...SMALL, startTimeoutSeconds: 3 }));
    await runner.exited;
    assert.equal(final(runner).phase, 'failed');
    assert.match(readFileSync(runner.files.log, 'utf8'), /Protocol 'file' not on whitelist/u);
  }
  // The same text as a media file.
  const stored = startRunner(
    t,
    dir,
    runSpec('stored', fileSource(join(dir, 'evil.m3u8')), HLS, { ...SMALL, startTimeoutSeconds: 3 }),
  );
  await stored.exited;
  assert.equal(final(stored).phase, 'failed');
});
