/** An agent obeys the server that has claimed it with the highest token, and none before it, whatever happens in between. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { deviceNetwork } from '../../../device/link/client.ts';
import { killExact } from '../../../device/process.ts';
import { AppError } from '../../../domain/base/errors.ts';
import type { PairedLink } from '../../../domain/ports/device-link.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { until } from '../../helpers/until.ts';
import { runSpec } from './fixtures/spec.ts';
import { TestDevice, type Shown } from './fixtures/test-device.ts';

const network = deviceNetwork({ log: silentLog });

interface Pair {
  testDevice: TestDevice;
  address: string;
  server: () => PairedLink;
  shown: () => Shown[];
}

async function paired(t: TestContext, isProcess = false): Promise<Pair> {
  const testDevice = new TestDevice(t);
  const agent = await testDevice[isProcess ? 'agent' : 'agentHere']('--listen', '127.0.0.1:0');
  const [shown] = await until('credentials', () => agent.shown().length > 0 && agent.shown());
  const { address } = shown!;
  const key = await network.pair(address, shown!);
  const server = (): PairedLink => {
    const link = network.connect(address, key, true);
    cleanUp(t, () => link.close?.());
    return link;
  };
  return { testDevice, address, server, shown: agent.shown };
}

function isStale(owner: number): (error: unknown) => boolean {
  return (error) =>
    error instanceof AppError && error.code === 'stale_owner' && error.extras.facts?.['owner'] === owner;
}

test('a server that was overtaken is refused in every call, its watch ends, and what it started goes on for the next', async (t) => {
  const { testDevice, server } = await paired(t);
  const [first, second] = [server(), server()];
  await assert.rejects(first.hello(), { code: 'unavailable' }, 'nothing is ordered before the claim');
  await first.claim(4);
  const watched = testDevice.watch(first);
  const spec = runSpec();
  await first.start(spec);
  await until('on air', () => watched.phase(spec.runId) === 'running');
  await second.claim(5);
  await until('the end of the watch', () => watched.states.at(-1) === false);
  const calls: (() => Promise<unknown> | undefined)[] = [
    () => first.hello(),
    () => first.start(runSpec()),
    () => first.stop(spec.runId),
    () => first.forget(spec.runId),
    () => first.ingests?.([]),
    () => first.recordings?.list(),
    () => first.unpair(),
    () => first.claim(3),
  ];
  for (const call of calls) await assert.rejects(async () => call(), isStale(5));
  const { runs } = await second.hello();
  assert.deepEqual(
    runs.map(({ runId, phase }) => [runId, phase]),
    [[spec.runId, 'running']],
  );
});

test('the highest token is on the disk before it is obeyed, and an agent that is killed and back knows it', async (t) => {
  const { testDevice, address, server } = await paired(t, true);
  const [first, second] = [server(), server()];
  await Promise.all([first.claim(7), second.claim(8)].map((claim) => claim.catch(() => undefined)));
  const stored = JSON.parse(readFileSync(join(testDevice.dir, 'pairing.json'), 'utf8')) as { owner: number };
  assert.equal(stored.owner, 8);
  process.kill((await testDevice.health())?.pid ?? 0, 'SIGKILL');
  await testDevice.agent('--listen', address);
  await assert.rejects(server().claim(7), isStale(8));
  await second.hello();
});

test('a Device whose every process was killed has one run of each Live stream, which its server orders, and begins no other one', async (t) => {
  const { testDevice, address, server } = await paired(t, true);
  const link = server();
  await link.claim(1);
  const [replaced, ordered, over] = [runSpec(), runSpec(), runSpec()];
  const newer = runSpec({ livestreamId: replaced.livestreamId });
  const watched = testDevice.watch(link);
  for (const spec of [replaced, ordered, over]) await link.start(spec);
  await until('on air', () => [replaced, ordered, over].every(({ runId }) => watched.phase(runId) === 'running'));
  for (const each of testDevice.processes()) killExact(each.pid, each.startTicks, 'SIGKILL');
  const agent = await testDevice.agent('--listen', address);
  for (const spec of [newer, ordered]) await link.start(spec);
  await link.claim(1, [newer.runId, ordered.runId]);
  const phases = async (): Promise<string[]> => {
    const reports = (await link.hello()).runs;
    return [replaced, newer, ordered, over].map(
      (spec) => `${reports.filter(({ runId }) => runId === spec.runId).map(({ phase }) => phase)}`,
    );
  };
  await until('what is ordered', async () => `${await phases()}` === 'stopped,running,running,stopped');
  const begun = agent.output().match(/is started again/gu) ?? [];
  assert.equal(begun.length, 1, 'the run that is ordered again, and none that is over');
});

test('a Device that is paired anew begins to count owners from the beginning', async (t) => {
  const { address, server, shown } = await paired(t);
  const link = server();
  await link.claim(9);
  await link.unpair();
  const credentials = await until('new credentials', () => shown().length === 2 && shown().at(-1));
  const next = network.connect(address, await network.pair(address, credentials), true);
  cleanUp(t, () => next.close?.());
  await next.claim(1);
  await next.hello();
});
