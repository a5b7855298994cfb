/** A server follows what another one hears of its Devices: over one connection, through breaks of it, and where the other has an earlier version. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createServer as createHttpServer } from 'node:http';
import { performServerHandshake } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
import { DialIns } from '../../../control/devices/dial-ins.ts';
import { HeardForOthers } from '../../../control/devices/heard-for-others.ts';
import { CHANNEL } from '../../../device/agent/psk.ts';
import { deviceNetwork, openDialIn } from '../../../device/link/client.ts';
import { onStreams } from '../../../device/session-stream.ts';
import type { DeviceMessage } from '../../../domain/ports/device-link.ts';
import { newChannelKey } from '../../../domain/shapes/sources/channel-key.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { systemClock } from '../../../domain/time/clock.ts';
import { NotUnderstood } from '../../../domain/reported/fields.ts';
import { HeardDevices, heardLine, readHeard } from '../../../domain/reported/heard.ts';
import { openStore } from '../../../store/open.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';
import { GARBLED, garbled, REAL_MESSAGES } from './garbled.ts';

const KEY = newChannelKey();
const DEVICE = 7;
const REPORT = REAL_MESSAGES.report.report;

const reportAt = (fps: number, more: Partial<RunReport> = {}): DeviceMessage => ({
  type: 'report',
  report: { ...REPORT, source: { ...REPORT.source, fps }, ...more },
});

interface Server {
  address: string;
  heard: HeardForOthers;
  /** Numbers of the Devices for which a channel was opened. */
  channels: number[];
  close(): Promise<void>;
}

async function server(t: TestContext, port = 0): Promise<Server> {
  const heard = new HeardForOthers({ clock: systemClock, memberKey: KEY });
  const channels: number[] = [];
  const store = await openStore({ dir: '', clock: systemClock, kind: 'memory' });
  const attachments = { channelTo: (id: number) => void channels.push(id), onDialled: () => Promise.resolve() };
  const devices = new DialIns({ store, clock: systemClock, log: silentLog, attachments, heard, memberKey: KEY });
  await devices.load();
  const dialIn = await openDialIn({
    host: '127.0.0.1',
    port,
    devices,
    log: silentLog,
    dir: testFolder(t, 'transfers'),
  });
  const close = async (): Promise<void> => {
    heard.close();
    await dialIn.close();
    devices.close();
  };
  cleanUp(t, close);
  return { address: dialIn.address, heard, channels, close };
}

/** A server that takes channels to one target alone, and says these lines there. */
async function otherServer(
  t: TestContext,
  taken: string,
  lines: readonly object[],
): Promise<{ address: string; targets: string[] }> {
  const web = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  const targets: string[] = [];
  const tls = createTlsServer({ ...CHANNEL, pskCallback: () => Buffer.from(KEY, 'base64url') });
  tls.on('secureConnection', (socket) => {
    socket.on('error', () => undefined);
    cleanUp(t, () => void socket.destroy());
    onStreams(performServerHandshake(socket), (target) => {
      targets.push(target);
      return target === taken ? (stream) => void web.emit('connection', stream) : undefined;
    });
  });
  await new Promise<void>((done) => tls.listen(0, '127.0.0.1', done));
  cleanUp(t, () => void tls.close());
  return { address: `127.0.0.1:${(tls.address() as AddressInfo).port}`, targets };
}

interface Follower {
  /** The states of the Device, true while it is there, and its messages. */
  taken: (boolean | DeviceMessage)[];
  reports(): RunReport[];
  end(): void;
}

/** Follows Devices of a server as another server does. */
function following(t: TestContext, address: string): (deviceId: number) => Follower {
  const network = deviceNetwork({ log: silentLog, dir: testFolder(t, 'brought') });
  return (deviceId) => {
    const link = network.through({ deviceId, address, key: KEY, token: 1 });
    const taken: Follower['taken'] = [];
    const end = link.watch(
      (message) => taken.push(message.type === 'report' ? { type: 'report', report: message.report } : message),
      (online) => taken.push(online),
    );
    cleanUp(t, () => {
      end();
      link.close?.();
    });
    const reports = (): RunReport[] =>
      taken.flatMap((each) => (typeof each === 'object' && each.type === 'report' ? [each.report] : []));
    return { taken, reports, end };
  };
}

const count = ({ taken }: Follower, wanted: number): Promise<boolean> =>
  until(`${wanted} messages`, () => taken.length >= wanted);

describe('what another server hears of its Devices', () => {
  it('comes whole, then by its changes, which make the same report; a Device that is not followed, and what is to be stored, come to nobody', async (t) => {
    const { heard, address, channels } = await server(t);
    const follower = following(t, address)(DEVICE);
    heard.setThere(DEVICE, true);
    await count(follower, 1);
    const messages = [
      reportAt(25, { cpu_cores: 0.5, recordings: [{ publishingId: 4, seconds: 1, bytes: 2, files: 1 }] }),
      reportAt(24.5, { cpu_cores: 0.6 }),
      reportAt(24.5, { phase: 'running', cpu_cores: 0.6 }),
      REAL_MESSAGES.storage,
      REAL_MESSAGES.ingests,
      REAL_MESSAGES.lease,
      REAL_MESSAGES.gone,
      reportAt(3),
    ];
    for (const message of messages) {
      heard.hear(DEVICE, REAL_MESSAGES.event);
      heard.hear(DEVICE, message);
      heard.hear(DEVICE + 1, message);
    }
    await count(follower, messages.length + 1);
    assert.deepEqual(follower.taken, [true, ...messages]);
    assert.deepEqual(channels, []);
  });

  it('is known to who follows a Device later, and two Devices share the connection', async (t) => {
    const { heard, address } = await server(t);
    const follow = following(t, address);
    for (const device of [DEVICE, 8]) heard.setThere(device, true);
    heard.hear(DEVICE, reportAt(25));
    heard.hear(DEVICE, REAL_MESSAGES.storage);
    const first = follow(DEVICE);
    await count(first, 3);
    heard.hear(DEVICE, reportAt(26, { cpu_cores: 2 }));
    await count(first, 4);
    const second = follow(DEVICE);
    const other = follow(8);
    await Promise.all([count(second, 3), count(other, 1)]);
    assert.deepEqual(first.taken, [true, REAL_MESSAGES.storage, reportAt(25), reportAt(26, { cpu_cores: 2 })]);
    assert.deepEqual(second.taken, [true, REAL_MESSAGES.storage, reportAt(26, { cpu_cores: 2 })]);
    second.end();
    heard.setThere(8, false);
    heard.setThere(DEVICE, false);
    heard.setThere(DEVICE, true);
    await Promise.all([count(first, 6), count(other, 2)]);
    assert.deepEqual([first.taken.slice(4), second.taken.length, other.taken], [[false, true], 3, [true, false]]);
  });

  it('is away while that server is, and comes anew from its successor', async (t) => {
    const { heard, address, close } = await server(t);
    const follower = following(t, address)(DEVICE);
    heard.setThere(DEVICE, true);
    heard.hear(DEVICE, reportAt(25));
    await count(follower, 2);
    await close();
    await count(follower, 3);
    const next = await server(t, Number(address.split(':').at(-1)));
    next.heard.setThere(DEVICE, true);
    next.heard.hear(DEVICE, reportAt(20));
    await until('the report of now', () => follower.reports().at(-1)?.source.fps === 20);
    assert.deepEqual(follower.taken, [true, reportAt(25), false, true, reportAt(20)]);
  });

  it('costs nothing of the others where one line, or who takes it, fails', async (t) => {
    const lines = [
      { device: 8, type: 'there' },
      { device: DEVICE, type: 'there' },
      { device: 8, type: 'report', report: { ...REPORT, phase: 'of another version' } },
      { device: DEVICE, type: 'of another version' },
      { device: DEVICE, ...reportAt(25) },
    ];
    const { address } = await otherServer(t, 'heard', lines);
    const follow = following(t, address);
    const failing = follow(DEVICE);
    failing.taken.push = () => assert.fail('it takes nothing');
    const followers = [follow(DEVICE), follow(8)];
    await count(followers[0]!, 2);
    const later = follow(DEVICE);
    later.taken.push = () => assert.fail('it takes nothing');
    await Promise.all([count(followers[0]!, 2), count(followers[1]!, 1)]);
    assert.deepEqual(
      followers.map(({ taken }) => taken),
      [[true, reportAt(25)], [true]],
    );
  });

  it('is followed through a channel to each Device where the server has an earlier version', async (t) => {
    const { address, targets } = await otherServer(t, `${DEVICE}`, [reportAt(25)]);
    const follow = following(t, address);
    const first = follow(DEVICE);
    await count(first, 2);
    assert.deepEqual(
      [first.taken, targets],
      [
        [true, reportAt(25)],
        ['heard', '7'],
      ],
    );
    first.end();
    const second = follow(DEVICE);
    await count(second, 2);
    assert.deepEqual(
      [second.taken, targets],
      [
        [true, reportAt(25)],
        ['heard', '7', 'heard', '7'],
      ],
    );
  });
});

const present = (name: 'cpu_cores' | 'cores_taken' | 'flags'): fc.Arbitrary<Partial<RunReport>> =>
  fc.option(fc.nat(5), { nil: undefined }).map((value) => (value === undefined ? {} : { [name]: value }));
const reports = fc
  .tuple(
    fc.nat(3),
    fc.constantFrom('running', 'starting'),
    fc.constantFrom([], [{ publishingId: 4, path: '/live/1/4/a.m3u8' }]),
    present('cpu_cores'),
    present('cores_taken'),
    present('flags'),
  )
  .map(([fps, phase, watch, ...some]) => reportAt(fps, Object.assign({ phase, watch }, ...some)));

it('any order of reports of any runs is at the other end what it was, from whichever on it is followed', () => {
  const sequence = fc.array(fc.tuple(reports, fc.constantFrom('one', 'two'), fc.boolean()), { maxLength: 20 });
  fc.assert(
    fc.property(sequence, (steps) => {
      const near = new HeardDevices();
      const far = new HeardDevices();
      for (const devices of [near, far]) devices.keep(DEVICE, { type: 'there' });
      for (const [message, runId, isAnew] of steps) {
        if (message.type !== 'report') continue;
        const report = { ...message.report, runId };
        const heard = near.hear(DEVICE, { type: 'report', report })!;
        const read = readHeard(heardLine(DEVICE, isAnew ? { type: 'report', report } : heard).trimEnd())!;
        const taken = far.keep(DEVICE, read.message);
        assert.deepEqual(taken?.type === 'report' && taken.report, report);
      }
      assert.deepEqual(far.known(DEVICE), near.known(DEVICE));
    }),
  );
});

it('what no server says is nothing that is understood, and throws nothing else', () => {
  const lines = garbled().flatMap((line) => [line, line.replace('{', `{"device":${DEVICE},`)]);
  const changes = GARBLED.map((report) =>
    JSON.stringify({ device: DEVICE, type: 'changed', runId: 'a', report, without: [] }),
  );
  const far = new HeardDevices();
  far.keep(DEVICE, { type: 'there' });
  for (const line of [...lines, ...changes])
    try {
      const read = readHeard(line);
      if (read !== undefined) far.keep(read.device, read.message);
    } catch (error) {
      assert.ok(error instanceof NotUnderstood, line.slice(0, 200));
    }
});

it('a server that reads too slowly is cut off, so that it begins anew, and the others have their lines', async (t) => {
  const clock = new FakeClock();
  const heard = new HeardForOthers({ clock, memberKey: KEY });
  cleanUp(t, () => heard.close());
  const slow = new Writable({ write: () => undefined });
  const quick = new PassThrough().resume();
  for (const out of [slow, quick]) heard.follow(out);
  heard.setThere(DEVICE, true);
  const long = 'x'.repeat(1 << 20);
  for (let at = 0; at < 40 && !slow.destroyed; at += 1) {
    heard.hear(DEVICE, reportAt(at, { error: `${at}${long}` }));
    clock.advance(100);
    await turnOfLoop();
  }
  assert.deepEqual([slow.destroyed, quick.destroyed], [true, false]);
});

it('a server that has its store alone keeps nothing for others', () => {
  const heard = new HeardForOthers({ clock: systemClock, memberKey: undefined });
  heard.setThere(DEVICE, true);
  heard.hear(DEVICE, reportAt(25));
  const out = new PassThrough();
  heard.follow(out);
  assert.equal(String(out.read()), '\n');
  heard.close();
});
