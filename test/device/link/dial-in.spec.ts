/** Devices that dial a server: who gets in, what is said to who does not, and what happens when the line breaks. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { openChannel, serveOver } from '../../../device/agent/dial/dial-out.ts';
import { keySecret } from '../../../device/agent/psk.ts';
import {
  joinIdentity,
  keyIdentity,
  newChannelKey,
  newJoinToken,
  parseJoinToken,
} from '../../../domain/shapes/sources/channel-key.ts';
import type { DialledLink } from '../../../domain/ports/device-link.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { countOf } from '../../helpers/counts.ts';
import { crowd } from '../../helpers/crowd.ts';
import { dialledServer, type DialledServer } from '../../helpers/dialled-server.ts';
import { openLine, type Line } from '../../helpers/line.ts';
import { until } from '../../helpers/until.ts';
import { deviceLinkSuite } from './device-link.suite.ts';
import { runSpec } from '../agent/fixtures/spec.ts';
import { TestDevice } from '../agent/fixtures/test-device.ts';

/** Nobody listens there. */
const DEAD = '127.0.0.1:1';

interface Dialling {
  testDevice: TestDevice;
  /** The reason, where it may not join. */
  refused(): string | undefined;
  output(): string;
}

/** A process of its own is for an agent that is to be killed. */
async function dialling(
  t: TestContext,
  addresses: string,
  token: string | undefined,
  isProcess = false,
): Promise<Dialling> {
  const testDevice = new TestDevice(t, token === undefined ? {} : { ONAIR_JOIN_TOKEN: token });
  const agent = await testDevice[isProcess ? 'agent' : 'agentHere']('--join', addresses);
  return {
    testDevice,
    refused: () => (agent.shown() as unknown as { refused?: string }[]).find(({ refused }) => refused)?.refused,
    output: agent.output,
  };
}

function firstLink({ links }: DialledServer): Promise<DialledLink> {
  return until('a link', () => [...links.values()][0]);
}

async function lineTo(t: TestContext, { port }: DialledServer): Promise<Line> {
  const line = await openLine(port);
  cleanUp(t, () => line.close());
  return line;
}

const devicesOf = async ({ store }: DialledServer) => (await store.find('devices', {})).rows;
const usesOf = async ({ store }: DialledServer, id: number) => (await store.get('joinTokens', id))?.row.used;

deviceLinkSuite('an agent that has dialled', async (t) => {
  const server = await dialledServer(t);
  const { token } = await server.token();
  await dialling(t, `127.0.0.1:${server.port}`, token);
  return { link: await firstLink(server), goOnAir: () => undefined };
});

test('a Device joins by the first server that lives, keeps key and addresses, and dials without a token after a restart', async (t) => {
  const server = await dialledServer(t);
  const { token, id } = await server.token({ name: 'rack' });
  const addresses = `${DEAD},127.0.0.1:${server.port}`;
  const { testDevice, output } = await dialling(t, addresses, token, true);
  await (await firstLink(server)).hello();
  const kept = JSON.parse(readFileSync(join(testDevice.dir, 'pairing.json'), 'utf8')) as Record<string, unknown>;
  assert.deepEqual([kept['addresses'], kept['owner']], [addresses.split(','), 1]);
  const [row] = await devicesOf(server);
  assert.deepEqual([row?.dials_in, row?.link_key, row?.ip_address], [true, kept['key'], '127.0.0.1']);
  assert.equal(await usesOf(server, id), 1);
  const all = JSON.stringify(server.logged) + output();
  assert.ok(!all.includes(token) && !all.includes(String(kept['key'])), 'no secret is logged');

  process.kill((await testDevice.health())?.pid ?? 0, 'SIGKILL');
  await until('gone', () => server.links.size === 0);
  delete testDevice.env['ONAIR_JOIN_TOKEN'];
  await testDevice.agent();
  const again = await firstLink(server);
  assert.equal((await again.hello()).runs.length, 0);
  assert.equal((await server.store.get('deviceLinks', row!.id))?.row.acceptedToken, 2);
  assert.equal((await devicesOf(server)).length, 1);
});

test('two machines with one token at once: one use lets one in, and the other is told that the token is used up', async (t) => {
  const server = await dialledServer(t);
  const { token, id } = await server.token();
  const both = await Promise.all([1, 2].map(() => dialling(t, `127.0.0.1:${server.port}`, token)));
  const reason = await until('a refusal', () =>
    both.map(({ refused }) => refused()).find((text) => text !== undefined),
  );
  assert.match(reason, /used up: 1 of 1/u);
  await firstLink(server);
  assert.deepEqual([(await devicesOf(server)).length, await usesOf(server, id)], [1, 1]);
});

test('machines that join at once get names and rows of their own, and the group of the token', async (t) => {
  const server = await dialledServer(t);
  const now = new Date(server.clock.now()).toISOString();
  const group = { created_at: now, updated_at: now, name: 'pool', description: null, devices: [] };
  const { id: idEncoderGroup } = await server.store.tx((tx) => tx.insert('deviceGroups', group));
  const { token, id } = await server.token({ max_uses: 2, idEncoderGroup });
  await Promise.all([1, 2].map(() => dialling(t, `127.0.0.1:${server.port}`, token)));
  await until('both', () => server.links.size === 2);
  const rows = await devicesOf(server);
  assert.equal(new Set(rows.map(({ name }) => name)).size, 2);
  const ids = rows.map((row) => row.id);
  assert.deepEqual((await server.store.get('deviceGroups', idEncoderGroup))?.row.devices, ids);
  assert.equal(await usesOf(server, id), 2);
});

for (const [what, fields, reason] of [
  ['expired', { expires_at: '2001-01-01T00:00:00.000Z' }, /expired at 2001/u],
  ['revoked', { revoked_at: '2026-01-01T00:00:00.000Z' }, /revoked/u],
  ['used up', { used: 1 }, /used up/u],
] as const)
  test(`a machine with a token that is ${what} is told so, and no row is written`, async (t) => {
    const server = await dialledServer(t);
    const { token } = await server.token(fields);
    const { refused } = await dialling(t, `127.0.0.1:${server.port}`, token);
    assert.match(await until('the refusal', refused), reason);
    assert.equal((await devicesOf(server)).length, 0);
  });

test('a machine without a token, with a text that is none, or with one that no server knows says so', async (t) => {
  const server = await dialledServer(t);
  const address = `127.0.0.1:${server.port}`;
  for (const [token, reason] of [
    [undefined, /no join token/u],
    ['onairjoin_x', /is no join token/u],
    [newJoinToken().token, /No server at .* knows this join token/u],
  ] as const) {
    const { refused } = await dialling(t, address, token);
    assert.match(await until('the refusal', refused), reason);
  }
  assert.equal((await devicesOf(server)).length, 0);
});

test('a join whose answer is lost is made good: the machine is the same Device, and counts once', async (t) => {
  const server = await dialledServer(t);
  const line = await lineTo(t, server);
  const { token, id } = await server.token();
  // Server hello and its part of the handshake are some 300 bytes; the key comes within the first 2,000.
  line.cutAfter(900);
  await dialling(t, `127.0.0.1:${line.port}`, token);
  await (await firstLink(server)).hello();
  assert.ok(line.count() >= 3, 'the first join has failed');
  assert.deepEqual([(await devicesOf(server)).length, await usesOf(server, id)], [1, 1]);
});

// They wait more than they work.
describe('lines and places for handshakes', { concurrency: 3 }, () => {
  test('a run goes on while the line is cut and while it is silent; the Device is back by itself', async (t) => {
    const server = await dialledServer(t);
    const line = await lineTo(t, server);
    const { token } = await server.token();
    const { testDevice } = await dialling(t, `127.0.0.1:${line.port}`, token);
    const link = await firstLink(server);
    const spec = runSpec();
    await link.start(spec);
    const runner = await until('a runner', () => testDevice.runner(spec.runId));
    const back = async (fault: () => Promise<void> | void): Promise<void> => {
      const [former] = [...server.links.values()];
      await fault();
      await until('another link', () => ![undefined, former].includes([...server.links.values()][0]));
      const reply = await (await firstLink(server)).hello();
      assert.deepEqual(
        reply.runs.map(({ runId }) => runId),
        [spec.runId],
      );
      assert.equal(testDevice.runner(spec.runId)?.pid, runner.pid);
    };
    await back(() => line.cut());
    // Both ends notice the silence by themselves: the Device dials again, and the server gives the link up.
    await back(async () => {
      const dialled = line.count();
      line.stall();
      await until('the Device dials again', () => line.count() > dialled);
      await until('the link is given up', () => server.links.size === 0);
      line.mend();
    });
  });

  test('who connects to the port and says nothing, or rubbish, disturbs no Device', async (t) => {
    const server = await dialledServer(t);
    const { token } = await server.token({ max_uses: 100 });
    const silent = await crowd(t, server.port, 700);
    await crowd(t, server.port, 10, { first: 'GET / HTTP/1.1\r\n\r\n' });
    const begun = await crowd(t, server.port, countOf(20, 700), { first: Buffer.from([22, 3, 1, 2, 0]) });
    const { kid, key } = parseJoinToken(token)!;
    const secret = { identity: joinIdentity(kid), psk: Buffer.from(key, 'base64url') };
    const channels = await Promise.all(
      Array.from({ length: 20 }, () => openChannel(`127.0.0.1:${server.port}`, secret, 60_000)),
    );
    for (const channel of channels) if (typeof channel !== 'string') channel.destroy();
    assert.deepEqual(
      channels.filter((channel) => typeof channel === 'string'),
      [],
    );
    await dialling(t, `127.0.0.1:${server.port}`, token);
    await (await firstLink(server)).hello();
    await until('the end of all others', () => [...silent, ...begun].every((socket) => socket.closed));
  });

  test('a Device that was deleted and dials on, and tokens that nobody knows, keep no other of their address out', async (t) => {
    const server = await dialledServer(t);
    const address = `127.0.0.1:${server.port}`;
    const { token } = await server.token();
    const { kid } = parseJoinToken(token)!;
    const psk = Buffer.from(newChannelKey(), 'base64url');
    for (const identity of [keyIdentity(newChannelKey()), joinIdentity('0123456789ab'), joinIdentity(kid)])
      for (let tries = 0; tries < 6; tries += 1)
        assert.equal(await openChannel(address, { identity, psk }, 60_000), 'refused');
    assert.equal(server.logged.filter(({ message }) => /was refused/u.test(message)).length, 1);
    await dialling(t, address, token);
    await (await firstLink(server)).hello();
  });
});

test('a Device that has dialled and breaks its line in a Recording, or says nonsense, ends no server', async (t) => {
  const server = await dialledServer(t);
  const key = newChannelKey();
  const now = new Date(server.clock.now()).toISOString();
  const stored = { name: 'captured', created_at: now, updated_at: now, link_key: key, dials_in: true, local: false };
  await server.store.tx((tx) => tx.insert('devices', stored as never));
  const file = { name: 'run-1-23-1.mp4', path: '/x/run-1-23-1.mp4', bytes: 9 };
  const agent = createServer(({ url = '' }, response) => {
    if (url.startsWith('/watch')) return void response.write('{"type":"report","report":null}\n');
    if (!url.includes('?from')) return void response.end(JSON.stringify({ files: [file] }));
    response.writeHead(200, { 'content-length': 9 });
    return void response.write('half', () => session.destroy());
  });
  const socket = await until('a channel', async () => {
    const opened = await openChannel(`127.0.0.1:${server.port}`, keySecret(key), 5000);
    return typeof opened === 'string' ? undefined : opened;
  });
  const session = serveOver(socket, agent);
  const link = await firstLink(server);
  const reasons: string[] = [];
  const end = link.watch(
    () => assert.fail('it says nonsense alone'),
    (_online, reason) => reason !== undefined && reasons.push(reason),
  );
  await until('the link is closed', () => reasons.length > 0);
  end();
  const recording = { livestreamId: 1, runId: 'run-1', publishingId: 23 };
  await assert.rejects(link.recordings!.open(recording, new AbortController().signal), { code: 'unavailable' });
  const { token } = await server.token();
  await dialling(t, `127.0.0.1:${server.port}`, token);
  await (await until('another Device', () => [...server.links.values()].find((other) => other !== link))).hello();
});

test('a Device that was overtaken by a server with a later claim refuses the former one, whatever lies between', async (t) => {
  const server = await dialledServer(t);
  const { token } = await server.token();
  const { testDevice } = await dialling(t, `127.0.0.1:${server.port}`, token, true);
  const link = await firstLink(server);
  const [row] = await devicesOf(server);
  await link.claim(40);
  process.kill((await testDevice.health())?.pid ?? 0, 'SIGKILL');
  await until('gone', () => server.links.size === 0);
  // The store knows claim 1 alone, as one that was restored from a backup would.
  await testDevice.agent();
  await firstLink(server);
  assert.equal((await server.store.get('deviceLinks', row!.id))?.row.acceptedToken, 41);
});
