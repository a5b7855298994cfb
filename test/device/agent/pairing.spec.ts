/** An agent that is paired over the network: the channel, who gets in, and the media that is brought to it. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test, type TestContext } from 'node:test';
import { AssetCache } from '../../../device/agent/files/asset-cache.ts';
import { unpairAgent } from '../../../device/link/agent-process.ts';
import { Pairing } from '../../../device/agent/pairing.ts';
import { dial, keySecret, newCredentials, pairingSecret } from '../../../device/agent/psk.ts';
import { callSocket } from '../../../device/socket-http.ts';
import { deviceNetwork } from '../../../device/link/client.ts';
import { newChannelKey } from '../../../domain/shapes/sources/channel-key.ts';
import { parseDeviceAddress } from '../../../domain/shapes/devices/device.ts';
import type { AppError } from '../../../domain/base/errors.ts';
import type { PairedLink } from '../../../domain/ports/device-link.ts';
import { countOf, itLong } from '../../helpers/counts.ts';
import { crowd } from '../../helpers/crowd.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { deviceLinkSuite } from '../link/device-link.suite.ts';
import { runSpec } from './fixtures/spec.ts';
import { TestDevice, Watched, type Shown } from './fixtures/test-device.ts';
import { until } from '../../helpers/until.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { silentLog } from '../../helpers/silent-log.ts';

const network = deviceNetwork({ log: silentLog });

/** A process of its own is for an agent that is to be killed. */
async function listening(
  t: TestContext,
  isProcess = false,
): Promise<{ testDevice: TestDevice; shown: Shown; output: () => string; all: () => Shown[] }> {
  const testDevice = new TestDevice(t);
  const agent = await testDevice[isProcess ? 'agent' : 'agentHere']('--listen', '127.0.0.1:0');
  const [shown] = await until('credentials', () => agent.shown().length > 0 && agent.shown());
  assert.ok(shown);
  return { testDevice, shown, output: agent.output, all: agent.shown };
}

async function paired(
  t: TestContext,
  isProcess = false,
): Promise<Awaited<ReturnType<typeof listening>> & { key: string; link: PairedLink }> {
  const agent = await listening(t, isProcess);
  const key = await network.pair(agent.shown.address, agent.shown);
  const link = network.connect(agent.shown.address, key);
  cleanUp(t, () => link.close?.());
  return { ...agent, key, link };
}

deviceLinkSuite('an agent that is paired over the network', async (t) => {
  const { link } = await paired(t);
  return { link, goOnAir: () => undefined };
});

describe('pairing', () => {
  test('the key of a pairing is stored for the owner alone; the password is good once and is written nowhere', async (t) => {
    const { testDevice, shown, key, output } = await paired(t);
    const file = join(testDevice.dir, 'pairing.json');
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { key });
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await assert.rejects(network.pair(shown.address, shown), (error: AppError) => {
      assert.equal(error.code, 'conflict');
      return /paired already.*onair device unpair/u.test(error.message);
    });
    assert.ok(!output().includes(shown.register_password) && !output().includes(key), output());
  });

  test('wrong credentials for a pairing are refused by name, and the refusal says nothing of what is right', async (t) => {
    const { shown } = await listening(t);
    const wrong = { ...shown, register_password: newCredentials().register_password };
    for (const credentials of [wrong, { ...shown, register_username: 'device-000000' }]) {
      await assert.rejects(network.pair(shown.address, credentials), (error: AppError) => {
        assert.equal(error.code, 'rule_violated', error.message);
        return !JSON.stringify(error).includes(credentials.register_password);
      });
    }
    const typed = { ...shown, register_password: shown.register_password.toLowerCase().replaceAll('-', ' ') };
    assert.match(await network.pair(shown.address, typed), /^[\w-]{43}$/u);
  });

  test('nobody can pair for a while after a handful of wrong tries, not even with the right password', async (t) => {
    const { shown } = await listening(t);
    for (let tries = 0; tries < 5; tries += 1)
      await assert.rejects(network.pair(shown.address, newCredentials()), { code: 'rule_violated' });
    await assert.rejects(network.pair(shown.address, shown), { code: 'rate_limited' });
  });

  test('who connects to a listening Device and is silent keeps no server out, before the pairing and after it', async (t) => {
    const { shown } = await listening(t);
    const port = Number(shown.address.split(':').at(-1));
    await crowd(t, port, countOf(520, 700));
    const key = await network.pair(shown.address, shown);
    await crowd(t, port, countOf(520, 700));
    const link = network.connect(shown.address, key);
    cleanUp(t, () => link.close?.());
    assert.deepEqual((await link.hello()).runs, []);
  });

  itLong(
    'pairing fails at once with an address that is no agent’s, and as a timeout with one that stays silent',
    async (t) => {
      const { shown, testDevice } = await listening(t);
      await assert.rejects(network.pair('127.0.0.1:1', shown), { code: 'upstream_failed' });
      const mediaPort = (await testDevice.health())?.mediaPort ?? 0;
      await assert.rejects(network.pair(`127.0.0.1:${mediaPort}`, shown), { code: 'upstream_failed' });
      const silent = createServer().listen(0, '127.0.0.1');
      cleanUp(t, () => silent.close());
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      await assert.rejects(network.pair(`127.0.0.1:${port}`, shown), { code: 'timeout' });
    },
  );

  test('a paired agent serves its key alone, and its own machine what others must not do', async (t) => {
    const { shown, key, link } = await paired(t);
    await assert.rejects(network.connect(shown.address, newChannelKey()).hello(), { code: 'unavailable' });
    const wire = () => dial(parseDeviceAddress(shown.address), keySecret(key));
    const call = { socket: wire, timeoutMs: 3000 } as const;
    assert.equal((await callSocket({ ...call, method: 'GET', path: '/health' })).status, 200);
    assert.equal(
      (await callSocket({ ...call, method: 'POST', path: '/shutdown', body: { runs: 'stop' } })).status,
      404,
    );
    assert.equal(
      (await callSocket({ ...call, method: 'POST', path: '/pair', body: { key: newChannelKey() } })).status,
      404,
    );
    assert.equal((await link.hello()).runs.length, 0);
  });

  test('the one-time channel of a pairing can do nothing but pair', async (t) => {
    const { shown } = await listening(t);
    const wire = () => dial(parseDeviceAddress(shown.address), pairingSecret(shown));
    assert.equal((await callSocket({ socket: wire, method: 'GET', path: '/hello', timeoutMs: 3000 })).status, 404);
    const short = await callSocket({
      socket: wire,
      method: 'POST',
      path: '/pair',
      body: { key: 'x' },
      timeoutMs: 3000,
    });
    assert.equal(short.status, 400);
    await network.pair(shown.address, shown);
  });

  test('an agent unpaired by hand has new credentials and a void old key, its channel ends, and it pairs again', async (t) => {
    const { testDevice, shown, link, all } = await paired(t);
    const watched = testDevice.watch(link);
    await until('online', () => watched.states.at(-1) === true);
    const next = await unpairAgent(testDevice.dir);
    assert.ok(next);
    assert.notEqual(next.register_password, shown.register_password);
    assert.deepEqual(all().at(-1), { ...next, address: shown.address });
    await until('offline', () => watched.states.at(-1) === false);
    await assert.rejects(link.hello(), { code: 'unavailable' });
    await assert.rejects(network.pair(shown.address, shown), { code: 'rule_violated' });
    const again = network.connect(shown.address, await network.pair(shown.address, next));
    await again.hello();
    again.close?.();
  });

  itLong('an agent that its control plane gives up ends its runs, and its key is void', async (t) => {
    const { testDevice, link, all } = await paired(t);
    const spec = runSpec();
    await link.start(spec);
    await until('a runner', () => testDevice.runner(spec.runId) !== undefined);
    await link.unpair();
    assert.equal(testDevice.runner(spec.runId), undefined);
    assert.equal(existsSync(join(testDevice.dir, 'pairing.json')), false);
    await until('new credentials', () => all().length === 2);
    await assert.rejects(link.hello(), { code: 'unavailable' });
  });

  test('a paired agent that is killed and back is still paired, its run goes on, the watch is connected again', async (t) => {
    const { testDevice, shown, link } = await paired(t, true);
    const watched = testDevice.watch(link);
    const spec = runSpec();
    await link.start(spec);
    await until('on air', () => watched.phase(spec.runId) === 'running');
    const runner = testDevice.runner(spec.runId);
    process.kill((await testDevice.health())?.pid ?? 0, 'SIGKILL');
    await until('offline', () => watched.states.at(-1) === false);
    const { shown: shownAgain } = await testDevice.agent('--listen', shown.address);
    await until('online', () => watched.states.at(-1) === true);
    assert.deepEqual(shownAgain(), [], 'a paired agent shows nothing');
    assert.equal((await link.hello()).runs[0]?.runId, spec.runId);
    assert.equal(testDevice.runner(spec.runId)?.pid, runner?.pid);
  });

  itLong('the server of its own machine and one elsewhere never have an agent both', async (t) => {
    const { testDevice, shown } = await listening(t);
    const local = testDevice.link();
    const first = new Watched();
    const end = local.watch(
      () => undefined,
      (online) => first.states.push(online),
    );
    await until('followed from here', () => first.states.at(-1) === true);
    await assert.rejects(network.pair(shown.address, shown), (error: AppError) => {
      assert.equal(error.code, 'conflict');
      return /its own machine.*--dir/u.test(error.message);
    });
    end();
    const key = await until('free', () => network.pair(shown.address, shown).catch(() => undefined));
    const link = network.connect(shown.address, key);
    cleanUp(t, () => link.close?.());
    const spec = runSpec();
    await link.start(spec);
    await assert.rejects(local.stop(spec.runId), { code: 'conflict' });
    await assert.rejects(local.start(runSpec()), { code: 'conflict' });
    assert.equal((await local.hello()).runs.length, 1, 'to look at it is allowed');
    const watched = testDevice.watch(local);
    await until('refused', () => watched.states.length > 0);
    assert.deepEqual(watched.states, [false]);
  });

  itLong('an agent that does not run is unpaired too', async (t) => {
    const { testDevice } = await paired(t, true);
    process.kill((await testDevice.health())?.pid ?? 0, 'SIGKILL');
    await until('the end', async () => (await testDevice.health()) === undefined);
    assert.equal(await unpairAgent(testDevice.dir), undefined);
    assert.equal(existsSync(join(testDevice.dir, 'pairing.json')), false);
  });

  test('the pause after wrong tries ends by itself, and guesses before it do not count any more', (t) => {
    const clock = new FakeClock();
    const pairing = new Pairing(new TestDevice(t).dir, clock);
    const identity = pairingSecret(pairing.credentials ?? newCredentials()).identity;
    for (let tries = 0; tries < 5; tries += 1) pairing.noteFailure('192.0.2.1');
    assert.deepEqual([pairing.stateFor('192.0.2.1'), pairing.secretOf(identity, '192.0.2.1')], ['paused', undefined]);
    assert.equal(pairing.stateFor('192.0.2.2'), 'unpaired', 'who guesses keeps nobody else out');
    assert.ok(pairing.secretOf(identity, '192.0.2.2'));
    clock.advance(30_000);
    pairing.noteFailure('192.0.2.1');
    assert.equal(pairing.stateFor('192.0.2.1'), 'unpaired');
    assert.ok(pairing.secretOf(identity, '192.0.2.1'));
  });
});

describe('media for a Device with a disk of its own', () => {
  const MEGABYTE = Buffer.alloc(1 << 20, 7);

  test('media of a run is on the Device, whole, when the run is prepared, and is sent once', async (t) => {
    const { testDevice, link } = await paired(t);
    const path = join(testDevice.dir, 'source ü.mp4');
    writeFileSync(path, MEGABYTE);
    const spec = runSpec({ fallback: { mode: 'file', path } });
    spec.source.path = path;
    const [first, again] = await Promise.all([link.prepare?.(spec), link.prepare?.(spec)]);
    assert.ok(first?.source.path);
    assert.deepEqual(first.fallback, { mode: 'file', path: first.source.path });
    assert.deepEqual(again?.source, first.source);
    assert.ok(first.source.path.startsWith(join(testDevice.dir, 'assets')));
    assert.deepEqual(readFileSync(first.source.path), MEGABYTE);
    const { ino } = statSync(first.source.path);
    await link.prepare?.(spec);
    assert.equal(statSync(first.source.path).ino, ino, 'not written again');

    writeFileSync(path, Buffer.alloc(1 << 20, 8));
    utimesSync(path, new Date('2030-01-01'), new Date('2030-01-01'));
    const changed = await link.prepare?.(spec);
    assert.equal(readFileSync(changed?.source.path ?? '')[0], 8, 'another content under the same name');
  });

  test('media that is missing here fails the start, and an agent that is away is asked again', async (t) => {
    const { testDevice, link } = await paired(t, true);
    await assert.rejects(async () => link.prepare?.(runSpec()), { code: 'not_found' });
    const path = join(testDevice.dir, 'clip.mp4');
    writeFileSync(path, 'x');
    const spec = runSpec();
    spec.source.path = path;
    process.kill((await testDevice.health())?.pid ?? 0, 'SIGKILL');
    await assert.rejects(async () => link.prepare?.(spec), { code: 'unavailable' });
  });

  itLong('a Device that cannot store the media says so, and the start fails at once', async (t) => {
    const { testDevice, link } = await paired(t);
    writeFileSync(join(testDevice.dir, 'assets'), 'a file in the place of the folder');
    const path = join(testDevice.dir, 'clip.mp4');
    writeFileSync(path, MEGABYTE);
    const spec = runSpec();
    spec.source.path = path;
    await assert.rejects(
      async () => link.prepare?.(spec),
      (error: AppError) => {
        assert.equal(error.code, 'upstream_failed', String(error.cause));
        return /could not store clip\.mp4/u.test(error.message);
      },
    );
  });

  itLong(
    'media that takes longer than a start may wait goes on being sent, and is there at the next start',
    async (t) => {
      const { testDevice, shown, key } = await paired(t, true);
      const clock = new FakeClock();
      const link = deviceNetwork({ log: silentLog, clock }).connect(shown.address, key);
      cleanUp(t, () => link.close?.());
      const path = join(testDevice.dir, 'long.mp4');
      writeFileSync(path, MEGABYTE);
      const spec = runSpec();
      spec.source.path = path;
      const agent = await testDevice.health();
      assert.ok(agent);
      process.kill(agent.pid, 'SIGSTOP');
      const late = assert.rejects(
        async () => link.prepare?.(spec),
        (error: AppError) => {
          assert.equal(error.code, 'upstream_failed');
          return /long\.mp4 is still being sent/u.test(error.message);
        },
      );
      let given = false;
      void late.finally(() => (given = true));
      await until('the wait given up', () => {
        clock.advance(20_000);
        return given;
      });
      await late;
      process.kill(agent.pid, 'SIGCONT');
      const ready = await link.prepare?.(spec);
      assert.deepEqual(readFileSync(ready?.source.path ?? ''), MEGABYTE);
    },
  );

  itLong('a transfer of media that is cut off leaves nothing', async (t) => {
    const { testDevice, shown, key } = await paired(t);
    const socket = dial(parseDeviceAddress(shown.address), keySecret(key));
    const tag = '1000-0123456789abcdef';
    socket.write(`PUT /assets/${tag}/clip.mp4 HTTP/1.1\r\nhost: device\r\ncontent-length: 1000\r\n\r\nhalf`);
    const incoming = join(testDevice.dir, 'assets', '.incoming');
    await until('its beginning', () => existsSync(incoming) && readdirSync(incoming).length === 1);
    socket.destroy();
    await until('nothing left', () => readdirSync(incoming).length === 0);
    assert.equal(existsSync(join(testDevice.dir, 'assets', tag)), false);
  });

  test('no media file leads out of the folder, and unused media goes after a week', async (t) => {
    const dir = new TestDevice(t).dir;
    const clock = new FakeClock(new Date().toISOString());
    const held = new Set<string>();
    const cache = new AssetCache({ deviceDir: dir, clock, held: () => held });
    const put = (tag: string): Promise<string> => cache.receive(tag, 'a.mp4', Readable.from([Buffer.from('abc')]));
    await assert.rejects(cache.receive('3-0123456789abcdef', '../a', Readable.from([])), { code: 'invalid_input' });
    await assert.rejects(cache.find('../..', 'a'), { code: 'invalid_input' });
    await assert.rejects(put('9-0123456789abcdef'), { code: 'invalid_input' });
    const kept = await put('3-0000000000000001');
    const unused = await put('3-0000000000000002');
    held.add(kept);
    clock.advance(8 * 86_400_000);
    await put('3-0000000000000003');
    assert.deepEqual([existsSync(kept), existsSync(unused)], [true, false]);
    mkdirSync(join(dir, 'assets', '.incoming'), { recursive: true });
    writeFileSync(join(dir, 'assets', '.incoming', 'half'), 'x');
    await cache.open();
    assert.equal(existsSync(join(dir, 'assets', '.incoming')), false);
  });
});

itLong('a pairing port that is taken ends the agent, which says so', async (t) => {
  const { shown } = await listening(t);
  const other = new TestDevice(t).program('device', '--listen', shown.address);
  let output = '';
  other.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(other, 'close')) as [number];
  assert.equal(code, 1);
  assert.match(output, /cannot listen on 127\.0\.0\.1:\d+: EADDRINUSE/u);
});

test('rubbish on the pairing port disturbs nobody and counts as no guess', async (t) => {
  const { shown } = await listening(t);
  const { host, port } = parseDeviceAddress(shown.address);
  for (let peer = 0; peer < 8; peer += 1) {
    await new Promise<void>((done) => {
      const socket = connect(port, host, () => socket.write('GET / HTTP/1.1\r\n\r\n'));
      socket.on('error', () => undefined).once('close', () => done());
      socket.resume();
    });
  }
  await network.pair(shown.address, shown);
});
