/** A backup source in a real run: it goes on air for each cause, and the first source returns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failoverField, type Failover } from '../../../domain/failover.ts';
import type { RunEvent } from '../../../domain/run.ts';
import type { Attempt } from '../../helpers/attempts.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { feed, type Feeder } from './feeder.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const [FIRST, BACKUP] = [31, 32];

interface Pair {
  runner: TestRunner;
  first: Feeder;
  again(): Feeder;
}

async function onAir(t: Attempt, options: Partial<Failover>): Promise<Pair> {
  const dir = folder(t);
  const file = clip(dir);
  const [first, backup] = [await freePort(), await freePort()];
  const send = (port: number): Feeder => feed(t, file, '-f', 'mpegts', `udp://127.0.0.1:${port}?pkt_size=1316`);
  const udp = (channelId: number, port: number) => ({
    ...source('Stream', { url: `udp://127.0.0.1:${port}` }),
    channelId,
    name: `Channel ${channelId}`,
  });
  const spec = {
    ...runSpec('pair', udp(FIRST, first), HLS, { ...SMALL, startTimeoutSeconds: 25 }),
    backup: udp(BACKUP, backup),
    pair: { first: FIRST, backup: BACKUP },
    failover: failoverField.parse(options),
  };
  const pusher = send(first);
  send(backup);
  const runner = startRunner(t, dir, spec);
  await running(runner, 25);
  return { runner, first: pusher, again: () => send(first) };
}

const failovers = (runner: TestRunner): RunEvent[] => runner.events().filter(({ kind }) => kind === 'failover');

test('a lost source gives way to its backup, and returns once it has been good', { timeout: 400_000 }, async (t) => {
  const { runner, first, again } = await onAir(t, { after_seconds: 1, return_after_seconds: 2 });
  // The backup has been good for a second by then.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const lostAt = performance.now();
  first.kill();
  await until('the backup is on air', () => failovers(runner).length === 1, 10_000);
  t.diagnostic(`decided ${((performance.now() - lostAt) / 1000).toFixed(2)} s after the loss`);
  assert.deepEqual(failovers(runner)[0]!.data, { reason: 'loss', from: FIRST, to: BACKUP });
  const { source: status, runtime } = await runner.report();
  assert.deepEqual([status.channelId, status.state, runtime.source], [BACKUP, 'up', BACKUP]);
  again();
  await until('the first source returns', () => failovers(runner).length === 2, 15_000);
  assert.deepEqual(failovers(runner)[1]!.data, { reason: 'returned', from: BACKUP, to: FIRST });
  assert.equal((await runner.report()).runtime.source, FIRST);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
});
