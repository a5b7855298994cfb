/** Machines that have the key of one Device: copies of its folder, machines that were set back, and the Device itself after a boot. */
import assert from 'node:assert/strict';
import { cpSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { DialledLink } from '../../../domain/ports/device-link.ts';
import type { Run } from '../../../domain/shapes/broadcasts/run.ts';
import { dialledMachine } from '../../../device/link/dialled-machine.ts';
import { folderId } from '../../../device/agent/paths.ts';
import { createRun, listRuns } from '../../../device/agent/runs/run-record.ts';
import { killExact } from '../../../device/process.ts';
import { networkCards } from '../../../linux/network-cards.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { dialledServer, type DialledServer } from '../../helpers/dialled-server.ts';
import { freePort } from '../../helpers/ports.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';
import { runSpec } from '../agent/fixtures/spec.ts';
import { TestDevice } from '../agent/fixtures/test-device.ts';

interface Joined {
  server: DialledServer;
  address: string;
  device: TestDevice;
  agent: Awaited<ReturnType<TestDevice['agentHere']>>;
  id: number;
}

async function joined(t: TestContext): Promise<Joined> {
  const server = await dialledServer(t);
  const { token } = await server.token();
  const device = new TestDevice(t, { ONAIR_JOIN_TOKEN: token });
  const address = `127.0.0.1:${server.port}`;
  const agent = await device.agentHere('--join', address);
  await linkOf(server);
  const [row] = (await server.store.find('devices', {})).rows;
  return { server, address, device, agent, id: row!.id };
}

function linkOf({ links }: DialledServer): Promise<DialledLink> {
  return until('a link', () => [...links.values()][0]);
}

function copyOf(t: TestContext, { dir }: TestDevice): TestDevice {
  const copy = new TestDevice(t);
  cpSync(dir, copy.dir, { recursive: true, filter: (path) => !lstatSync(path).isSocket() && !path.endsWith('.lock') });
  return copy;
}

const refusals = async ({ store }: DialledServer): Promise<unknown[]> =>
  (await store.find('events', { where: { kind: 'device_refused' } })).rows.map(({ data }) => data['reason']);

test('a copy that comes while the Device is there gets no orders and runs nothing, and people are told once', async (t) => {
  const { server, address, device, id } = await joined(t);
  const link = await linkOf(server);
  const spec = runSpec();
  await link.start(spec);
  const runner = await until('a runner', () => device.runner(spec.runId));
  const copy = copyOf(t, device);
  const agent = await copy.agentHere('--join', address);
  await until('the copy says so', () => /has the key of Device \d+ .* and was refused/u.test(agent.output()));
  assert.match(agent.output(), /The Device folder is a copy/u);
  assert.equal(server.links.get(id), link, 'the Device has its connection');
  assert.deepEqual([device.runner(spec.runId)?.pid, copy.runner(spec.runId)], [runner.pid, undefined]);
  assert.deepEqual(await refusals(server), ['present']);
  const { refused } = (await server.store.get('deviceLinks', id))!.row;
  assert.deepEqual([refused?.address, refused?.reason], ['127.0.0.1', 'present']);
});

test('a copy that takes the place of a Device that is gone keeps it; the other one is refused when it is back, and ends its runs', async (t) => {
  const { server, address, device, agent, id } = await joined(t);
  const spec = runSpec();
  await (await linkOf(server)).start(spec);
  await until('a runner', () => device.runner(spec.runId));
  await agent.close();
  await until('the Device is gone', () => server.links.size === 0);
  const copy = copyOf(t, device);
  await copy.agentHere('--join', address);
  const link = await linkOf(server);
  assert.deepEqual((await link.hello()).runs, [], 'what the other one runs is left to it');
  const back = await device.agentHere('--join', address);
  await until('it is told', () => /does not know what the machine .* was told last/u.test(back.output()));
  await until('its run has ended', () => device.runner(spec.runId) === undefined);
  assert.deepEqual(await refusals(server), ['former']);
  assert.equal(server.links.get(id), link);
});

test('an agent that starts again is the same Device, and its runs go on', async (t) => {
  const { server, address, device, agent } = await joined(t);
  const spec = runSpec();
  await (await linkOf(server)).start(spec);
  const runner = await until('a runner', () => device.runner(spec.runId));
  await agent.close();
  await until('gone', () => server.links.size === 0);
  await device.agentHere('--join', address);
  await linkOf(server);
  assert.equal(device.runner(spec.runId)?.pid, runner.pid);
  assert.deepEqual(await refusals(server), []);
});

test('a Device of which nothing was left goes on with the runs that are ordered there, and ends the others before they begin', async (t) => {
  const { server, address, device, agent, id } = await joined(t);
  const [kept, over] = [runSpec(), runSpec()];
  const link = await linkOf(server);
  for (const spec of [kept, over]) await link.start(spec);
  for (const { runId } of [kept, over]) await until('a runner', () => device.runner(runId));
  await agent.close();
  await until('gone', () => server.links.size === 0);
  for (const { pid, startTicks } of device.processes()) killExact(pid, startTicks, 'SIGKILL');
  await until('nothing is left of them', () => device.processes().length === 0);
  const { runId } = kept;
  const order = { id: kept.livestreamId, runId, deviceId: id, desired: 'on', status: 2 } as Run;
  await server.store.tx((tx) => tx.insert('runs', order));
  await device.agentHere('--join', address);
  const { runs } = await (await linkOf(server)).hello();
  const ended = runs.find((report) => report.runId === over.runId);
  assert.equal(runs.length, 2);
  await until('the one is back', () => device.runner(runId));
  assert.ok(ended === undefined || ended.on_air_at === null);
  await until('the other is over', async () => {
    const report = (await (await linkOf(server)).hello()).runs.find((each) => each.runId === over.runId);
    return report?.phase === 'stopped';
  });
  assert.equal(device.runner(over.runId), undefined);
});

test('a copied disk that is booted where no server answers runs nothing, whether it dials or is called; with a card of the Device it goes on', async (t) => {
  const cards = networkCards();
  if (cards.length === 0) return t.skip('this machine has no network card of its own');
  const { device, agent } = await joined(t);
  await createRun(device.dir, runSpec());
  await agent.close();
  const booted = async (seen: readonly string[], ...words: string[]): Promise<[output: string, runs: number]> => {
    const copy = copyOf(t, device);
    const record = join(copy.dir, 'agent.json');
    const former = JSON.parse(readFileSync(record, 'utf8')) as object;
    // A copied disk has the same inodes.
    writeFileSync(record, JSON.stringify({ ...former, folder: folderId(copy.dir), bootId: 'before', cards: seen }));
    const { output } = await copy.agentHere(...words);
    return [output(), (await listRuns(copy.dir)).length];
  };
  const other = ['02:00:00:00:00:99'];
  const nobody = ['--join', `127.0.0.1:${await freePort()}`];
  for (const words of [nobody, ['--listen', '127.0.0.1:0']]) {
    const [output, runs] = await booted(other, ...words);
    assert.match(output, /none of the network cards that the Device had/u);
    assert.equal(runs, 0);
  }
  const [output, runs] = await booted([...other, cards[0]!], ...nobody);
  assert.doesNotMatch(output, /network cards/u);
  assert.equal(runs, 1);
});

test('a network card counts by an address of its own, neither drawn nor set, and what is no card does not', (t) => {
  const root = testFolder(t, 'cards');
  const card = (name: string, address: string, type: string, isCard = true): void => {
    mkdirSync(join(root, name, isCard ? 'device' : 'queues'), { recursive: true });
    writeFileSync(join(root, name, 'address'), `${address}\n`);
    writeFileSync(join(root, name, 'addr_assign_type'), `${type}\n`);
  };
  card('eth1', '02:00:00:00:00:02', '0');
  card('eth0', '02:00:00:00:00:01', '0');
  card('wlan0', '02:00:00:00:00:03', '3');
  card('veth0', '02:00:00:00:00:04', '1');
  card('bridge0', '02:00:00:00:00:05', '0', false);
  assert.deepEqual(networkCards(root), ['02:00:00:00:00:01', '02:00:00:00:00:02']);
  assert.deepEqual(networkCards(join(root, 'nothing')), []);
});

test('agents of earlier versions are told apart by what they refuse', async (t) => {
  const answers: [number, object, number | null][] = [
    [409, { code: 'stale_owner', detail: 'later', owner: 7 }, 7],
    [404, { code: 'not_found', detail: 'no such call' }, null],
    [200, { name: 'van', boot_id: 'b', agent_id: 'a', owner: 3 }, 3],
    [200, { name: 7, owner: 'many' }, null],
  ];
  for (const [status, body, owner] of answers) {
    const server = createServer((_request, reply) => {
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    cleanUp(t, () => void server.close());
    await until('listening', () => server.listening);
    const open = () => connect((server.address() as AddressInfo).port, '127.0.0.1');
    assert.equal((await dialledMachine(open).machine()).owner, owner);
  }
});
