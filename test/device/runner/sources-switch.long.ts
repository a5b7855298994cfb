/** One source after the other on air: no gap, no repeat, everything behind them untouched. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunSpec, SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { itLong } from '../../helpers/counts.ts';
import { makeCountedClip, numbersIn, timesIn } from '../../helpers/counted.ts';
import { change } from './changing.ts';
import { clip, folder, running, startRtmpServer, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { keepFeeding } from './feeder.ts';
import { fileSource, output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 400, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const CLIP = 1500;

/** Pictures 0 to 749 and 750 to 1499. */
function counted(dir: string): [string, string] {
  const whole = makeCountedClip(join(dir, 'counted.mp4'), CLIP);
  const half = (name: string, from: number): string => {
    const path = join(dir, name);
    execFileSync('ffmpeg', ['-v', 'error', '-ss', String(from), '-i', whole, '-t', '25', '-c', 'copy', path]);
    return path;
  };
  return [half('first.mp4', 0), half('second.mp4', 25)];
}

/** All that viewers have got so far, in one file. */
function broadcast(dir: string): string {
  const path = join(dir, 'broadcast.ts');
  writeFileSync(path, Buffer.concat(rendered(dir).map((segment) => readFileSync(segment))));
  return path;
}

function named(name: string, channelId: number, from: SourceSpec): SourceSpec {
  return { ...from, name, channelId };
}

function kinds(runner: TestRunner): string[] {
  return runner.events().map(({ kind }) => kind);
}

test('a switch between two live sources goes from one picture to the next; encoder and Destinations go on', async (t) => {
  const dir = folder(t);
  const [first, second] = counted(dir);
  const server = await startRtmpServer(t, dir, await freePort());
  const address = (name: string): string => `rtmp://127.0.0.1:${server.port}/live/${name}`;
  keepFeeding(t, first, '-f', 'flv', address('one'));
  keepFeeding(t, second, '-f', 'flv', address('two'));
  await until('both feeds are on the server', async () => (await server.publishers()).length === 2);
  const one = named('One', 3, source('Stream', { url: address('one') }));
  const two = named('Two', 4, source('Stream', { url: address('two') }));
  const target = output(22, 'RTMP', { url: `rtmp://127.0.0.1:${server.port}/live`, stream_key: 'out' });
  const runner = startRunner(t, dir, runSpec('switch', one, [...HLS, target], { ...SMALL, startTimeoutSeconds: 30 }));
  await running(runner);
  await until('the publisher delivers', async () => (await server.publishers()).length === 3);
  await until('two segments', () => rendered(dir).length >= 2);
  const before = runner.children();
  const encoder = runner.childNamed('pipe:5');
  const client = (await server.publishers()).find(({ name }) => name === 'out')!.client;

  const answer = await change(runner, { type: 'source', source: two });
  assert.equal(answer.status, 200, answer.detail);
  assert.deepEqual([answer.report.source.channelId, answer.report.runtime.source], [4, 4]);
  assert.equal(answer.report.source.state, 'up');
  await until('one ingest', () => runner.children().length === before.length);
  const count = rendered(dir).length;
  await until('two segments of the second', () => rendered(dir).length >= count + 3);
  assert.equal(runner.childNamed('pipe:5'), encoder);
  assert.equal((await server.publishers()).find(({ name }) => name === 'out')!.client, client);
  const message = runner.events().find(({ kind }) => kind === 'source_switched')!;
  assert.deepEqual([message.data.from, message.data.to], [3, 4]);
  assert.ok(!kinds(runner).some((kind) => /lost|restored|restarted|down/u.test(kind)), kinds(runner).join());
  assert.equal((JSON.parse(readFileSync(runner.files.spec, 'utf8')) as RunSpec).source.channelId, 4);

  const seen = broadcast(dir);
  const numbers = numbersIn(seen);
  const at = numbers.findIndex((n) => n !== undefined && n >= CLIP / 2);
  assert.ok(at > 0 && numbers.slice(at).every((n) => n === undefined || n >= CLIP / 2), 'it changes once');
  assert.ok(!numbers.includes(undefined), 'no slate');
  const around = numbers.slice(at - 15, at + 30) as number[];
  t.diagnostic(`around the switch: ${around.join(' ')}`);
  // The one before the switch stands until the other begins; neither goes back.
  const goesBack = (n: number, i: number): boolean => i > 0 && n < around[i - 1]! && around[i - 1]! - n < CLIP / 4;
  assert.ok(!around.some(goesBack), around.join(' '));
  const times = timesIn(seen);
  const instants = times.slice(1).map((time, i) => (time - times[i]!) * 30);
  assert.ok(
    instants.every((step) => step > 0.9 && Math.abs(step - Math.round(step)) < 0.1),
    'each picture came at a beat',
  );

  // Back again while the first is gone: it must come back, or the second stays.
  const back = await change(runner, { type: 'source', source: one });
  assert.equal(back.status, 200, back.detail);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
});

test('a source that gives nothing leaves the one on air alone, and a second switch meanwhile is refused', async (t) => {
  const dir = folder(t);
  const runner = startRunner(t, dir, runSpec('stay', named('Here', 3, fileSource(clip(dir))), HLS, SMALL));
  await running(runner);
  const children = runner.children().map(({ pid }) => pid);
  const url = `rtmp://127.0.0.1:${await freePort()}/live/canary-key`;
  const gone = named('Gone', 4, source('Stream', { url }));
  const failing = change(runner, { type: 'source', source: gone });
  await until('a second ingest', () => runner.children().length === children.length + 1);
  const second = await change(runner, { type: 'source', source: gone });
  assert.deepEqual([second.status, second.code], [409, 'wrong_state']);
  const answer = await failing;
  assert.deepEqual([answer.status, answer.code], [502, 'upstream_failed']);
  assert.match(answer.detail!, /"Gone" gives no pictures: .*Connection refused.*"Here" stays/u);
  assert.ok(!answer.detail!.includes('canary'));
  await until('the second ingest is gone', () => runner.children().length === children.length);
  assert.deepEqual(
    runner.children().map(({ pid }) => pid),
    children,
  );
  const report = await runner.report();
  assert.deepEqual([report.source.channelId, report.runtime.source, report.source.state], [3, 3, 'up']);
  assert.ok(!kinds(runner).some((kind) => kind.startsWith('source_')));
});

itLong('a lost source gives way to another: the slate ends, and its pictures follow', async (t) => {
  const dir = folder(t);
  const file = clip(dir);
  const port = await freePort();
  const runner = startRunner(
    t,
    dir,
    runSpec('rescue', named('Ends', 3, fileSource(clip(dir, { seconds: 3 }), false)), HLS, SMALL),
  );
  await running(runner);
  await until('source_lost', () => kinds(runner).includes('source_lost'));
  await until('the slate is on air', () => lastBrightness(rendered(dir).at(-1)!) < 45);
  const push = named('Push', 5, source('RTMP-Push', { app: 'live', stream_key: 'canary-key', port }));
  const order = rtmpOrder(push.channelId, port, { stream_key: 'canary-key' });
  const process = await startPush(t, dir, order);
  const switching = change(runner, { type: 'source', source: push });
  keepFeeding(t, file, '-f', 'flv', `rtmp://127.0.0.1:${port}/live/canary-key`);
  const answer = await switching;
  assert.equal(answer.status, 200, answer.detail);
  assert.equal(answer.report.source.state, 'up');
  await until('its picture is on air', () => lastBrightness(rendered(dir).at(-1)!) > 60);
  assert.ok(!kinds(runner).includes('source_restored'), 'the first one has not come back');

  // The one on air stays while another is looked for, on a port that somebody else has.
  const taken = createServer().listen(0, '127.0.0.1');
  cleanUp(t, () => taken.close());
  await until('its port', () => taken.address() !== null);
  const { port: used } = taken.address() as { port: number };
  const blocked = named('Other', 6, source('RTMP-Push', { app: 'live', stream_key: 'other-key', port: used }));
  await process.order(order, rtmpOrder(6, used));
  const failed = await change(runner, { type: 'source', source: blocked });
  assert.deepEqual([failed.status, failed.code], [502, 'upstream_failed']);
  assert.match(failed.detail!, /is in use on this Device/u);
  assert.equal((await runner.report()).source.state, 'up');
});

test('copied video is not switched to another source', async (t) => {
  const dir = folder(t);
  const copied = rendition(11, 320, 180, 800, { codec: 'copy' });
  const renditions = [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }];
  const from = fileSource(clip(dir));
  const runner = startRunner(t, dir, runSpec('copy', from, HLS, { renditions }));
  await running(runner);
  const answer = await change(runner, { type: 'source', source: named('Other', 9, from) });
  assert.deepEqual([answer.status, answer.code], [422, 'rule_violated']);
  assert.match(answer.detail!, /Copied video cannot be switched/u);
  const crop = { left: 10, right: 0, top: 0, bottom: 0 };
  assert.equal((await change(runner, { type: 'options', options: { crop } })).status, 422);
  assert.equal((await runner.report()).source.state, 'up');
});
