/** An agent that says what it likes: it costs its own link, and no file, no process and no other Device. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { ClientHttp2Session } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { connectDevice } from '../../../device/link/agent-link.ts';
import { pairedLink } from '../../../device/link/remote-device.ts';
import { openStream } from '../../../device/session-stream.ts';
import { callSocket } from '../../../device/socket-http.ts';
import { startingReport } from '../../../device/starting-report.ts';
import type { Connection } from '../../../device/stream-socket.ts';
import type { DeviceMessage, PairedLink } from '../../../domain/ports/device-link.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { FakeDevice } from '../../helpers/fake-device.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';
import { TestDevice } from '../agent/fixtures/test-device.ts';
import { runSpec } from '../agent/fixtures/spec.ts';
import { GARBLED, garbled, REAL_MESSAGES } from './garbled.ts';
import { wordsOf } from '../../helpers/words.ts';

const BROKEN = { closed: true } as ClientHttp2Session;

type Answer = (path: string, response: ServerResponse) => void;

/** The socket of an agent that answers as it likes. */
async function agentThat(t: TestContext, answer: Answer): Promise<string> {
  const socket = join(testFolder(t, 'agent'), 's');
  const server = createServer((request, response) => answer(request.url ?? '', response));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return socket;
}

const json = (response: ServerResponse, body: unknown): void => void response.end(JSON.stringify(body));

describe('what a Device says by itself', () => {
  it('messages of this version pass whole, and those with fields and kinds of a newer one pass with what is known', async (t) => {
    const newer = {
      ...REAL_MESSAGES.report.report,
      news: [{}],
      source: { ...REAL_MESSAGES.report.report.source, state: 'warming', hue: 3 },
      conditions: [{ kind: 'haunted', since: 'now' }],
    };
    const lines = [
      ...Object.values(REAL_MESSAGES),
      { type: 'weather', rain: true },
      { type: 'event', event: { ...REAL_MESSAGES.event.event, kind: 'sunrise' } },
      { type: 'event', event: { ...REAL_MESSAGES.event.event, kind: 'start_requested', message: 'admin started it' } },
      { type: 'report', report: newer },
    ];
    const socket = await agentThat(t, (_path, response) => {
      for (const line of lines) response.write(`${JSON.stringify(line)}\n`);
    });
    const messages: DeviceMessage[] = [];
    const states: boolean[] = [];
    const link = connectDevice({ socket, log: silentLog });
    cleanUp(
      t,
      link.watch(
        (message) => messages.push(message),
        (online) => states.push(online),
      ),
    );
    await until('all', () => messages.length > Object.keys(REAL_MESSAGES).length);
    assert.deepEqual(messages.slice(0, -1), Object.values(REAL_MESSAGES));
    const last = messages.at(-1) as Extract<DeviceMessage, { type: 'report' }>;
    assert.deepEqual([last.report.source.state, last.report.conditions], ['idle', []]);
    assert.ok(!('news' in last.report) && !('hue' in last.report.source));
    assert.deepEqual(states, [true]);
  });

  it(`${GARBLED.length} kinds of nonsense in place of each message close the link with a reason, later each time`, async (t) => {
    const clock = new FakeClock();
    let line = '';
    const socket = await agentThat(t, (_path, response) => void response.write(line));
    const link = connectDevice({ socket, log: silentLog, clock });
    for (const nonsense of garbled()) {
      line = `${nonsense}\n${JSON.stringify(REAL_MESSAGES.gone)}\n`;
      const reasons: (string | undefined)[] = [];
      const messages: DeviceMessage[] = [];
      const end = link.watch(
        (message) => messages.push(message),
        (online, reason) => !online && reasons.push(reason),
      );
      await until(`the link is closed over ${nonsense.slice(0, 80)}`, () => reasons.length > 0);
      end();
      assert.match(String(reasons[0]), /says what no Device says/u, nonsense.slice(0, 200));
      assert.deepEqual(messages, [], 'nothing behind it is read');
    }
    let opened = 0;
    const end = link.watch(
      () => assert.fail('it says nonsense alone'),
      (online) => (opened += online ? 1 : 0),
    );
    await until('open', () => opened === 1);
    clock.advance(1000);
    await until('open again', () => opened === 2);
    clock.advance(1999);
    assert.equal(opened, 2);
    clock.advance(1);
    await until('open again', () => opened === 3);
    end();
  });

  it('what its receiver throws ends the link, and not the server', async (t) => {
    const socket = await agentThat(
      t,
      (_path, response) => void response.write(`${JSON.stringify(REAL_MESSAGES.gone)}\n`),
    );
    const link = connectDevice({ socket, log: silentLog });
    const reasons: string[] = [];
    const end = link.watch(
      () => assert.fail('a fault of the receiver'),
      (_online, reason) => reason !== undefined && reasons.push(reason),
    );
    await until('closed', () => reasons.length > 0);
    end();
  });
});

describe('what a Device answers', () => {
  it('no answer of another form than the one that was asked for is believed', async (t) => {
    let body: unknown;
    const socket = await agentThat(t, (_path, response) => json(response, body));
    const link = connectDevice({ socket, log: silentLog });
    const key = { livestreamId: 1, runId: 'r', publishingId: 2 };
    const { source } = runSpec();
    const calls = [
      () => link.hello(),
      () => link.change('r', { type: 'adValues', adValues: {} }),
      () => link.preview('r', 320),
      () => link.picture('r', 320),
      () => link.probe!(source, false),
      () => link.pushedPicture!(source, 320),
      () => link.recordings.list(),
      () => link.recordings.open(key, new AbortController().signal),
    ];
    for (body of [null, 5, 'x', [], {}, [null], { files: [null] }, { recordings: [null] }, { jpeg: 5 }])
      for (const call of calls) await assert.rejects(call, { code: 'upstream_failed' });
    const hello = await new FakeDevice().hello();
    const report = startingReport(runSpec(), '2026-01-01T00:00:00.000Z');
    for (const wrong of [
      { runs: [null] },
      { runs: [{ ...report, encodings: [null] }] },
      { mediaUrl: 'javascript:1' },
    ]) {
      body = { ...hello, ...wrong };
      await assert.rejects(link.hello(), { code: 'upstream_failed' });
    }
    const { ingest: _ingest, ...known } = hello;
    for (const ingest of [
      5,
      { host: '127.0.0.1', publicHost: 'a b', url: null },
      { ...hello.ingest, url: 'nonsense' },
    ]) {
      body = { ...hello, ingest, runs: [report], cooling: 'water' };
      assert.deepEqual(await link.hello(), { ...known, runs: [report] });
    }
    body = report;
    await assert.rejects(link.change('another', { type: 'adValues', adValues: {} }), /another run/u);
    link.close?.();
  });

  it('a refusal has a code that a Device can have, and texts of bounded length', async (t) => {
    let body: unknown;
    const socket = await agentThat(t, (_path, response) => {
      response.statusCode = 409;
      json(response, body);
    });
    const link = connectDevice({ socket, log: silentLog });
    for (const [given, code] of [
      [{ code: 'wrong_state', detail: 'No.' }, 'wrong_state'],
      [{ code: 'unauthenticated', detail: 'Sign in.' }, 'upstream_failed'],
      [{ code: 'toString', detail: {}, owner: 'me', remedy: [] }, 'upstream_failed'],
      [null, 'upstream_failed'],
      [[5], 'upstream_failed'],
    ] as const) {
      body = given;
      await assert.rejects(link.forget('r'), { code });
    }
    body = { code: 'timeout', detail: 'x'.repeat(1e6), upstream: '\u001b[2J' };
    await assert.rejects(
      link.forget('r'),
      ({ message, extras }: { message: string; extras: { upstream?: string } }) => {
        return message.length === 1000 && extras.upstream === ' [2J';
      },
    );
    link.close?.();
  });
});

describe('files of a Recording', () => {
  const key = { livestreamId: 1, runId: 'run-1', publishingId: 23 };
  const good = { name: 'run-1-23-1.mp4', path: '/x/run-1-23-1.mp4', bytes: 4 };

  function linkOver(t: TestContext, open: () => Connection): { dir: string; link: PairedLink } {
    const dir = join(testFolder(t, 'brought'), 'inner');
    mkdirSync(dir, { recursive: true });
    const parts = { log: silentLog, clock: new FakeClock(), media: undefined, mustClaim: false };
    return { dir, link: pairedLink(open, { ...parts, dir }) };
  }

  it('a Device names files by one pattern, of the Recording that was asked for: nothing is written or read elsewhere', async (t) => {
    let files: unknown;
    const socket = await agentThat(t, (path, response) =>
      path.includes('?from') ? response.end('evil') : json(response, { files }),
    );
    const { dir, link } = linkOver(t, () => connect(socket));
    const recordings = link.recordings!;
    const secret = join(dir, '..', 'link.key');
    writeFileSync(secret, 'keys');
    const signal = new AbortController().signal;
    const names = [
      '../link.key',
      '../../authorized_keys',
      '/etc/hostname',
      '.',
      '..',
      '',
      ...wordsOf('x.mp4 run-2-23-1.mp4 run-1-24-1.mp4 run-1-r23-1.mp4 run-1-23-1.mp4/../../../link.key'),
      ...wordsOf('a/run-1-23-1.mp4'),
      'run-1-23-1.mp4\u0000',
      '..\\run-1-23-1.mp4',
      'run-1-23-1.json',
    ];
    for (const name of names) {
      files = [{ ...good, name, path: `/x/${name}` }];
      await assert.rejects(recordings.open(key, signal), { code: 'upstream_failed' }, name);
    }
    for (files of [
      [good, good],
      [{ ...good, bytes: -1 }],
      [{ ...good, bytes: 1.5 }],
      [{ ...good, bytes: null }],
      [{ name: good.name }],
    ])
      await assert.rejects(recordings.open(key, signal), { code: 'upstream_failed' });
    assert.deepEqual([readdirSync(dir), readdirSync(join(dir, '..'))], [[], ['inner', 'link.key']]);
    assert.equal(readFileSync(secret, 'utf8'), 'keys');
    files = [good];
    const opened = await recordings.open(key, signal);
    assert.ok(opened.files.every((path) => path.startsWith(`${dir}/`)));
    assert.equal(readFileSync(opened.files[0]!, 'utf8'), 'evil');
    // The agent of this machine is asked for files where they are.
    files = [{ ...good, path: '/etc/hostname' }];
    const local = connectDevice({ socket, log: silentLog });
    await assert.rejects(local.recordings.open(key, signal), { code: 'upstream_failed' });
    for (const { close } of [link, local]) close?.();
  });

  it('a Device that sends more than it announced, less, or nothing is given up, and no more is written', async (t) => {
    for (const content of ['toolong', 'x', '']) {
      let requests = 0;
      const socket = await agentThat(t, (path, response) => {
        if (!path.includes('?from')) return json(response, { files: [good] });
        requests += 1;
        response.end(requests === 1 ? content : '');
      });
      const { dir, link } = linkOver(t, () => connect(socket));
      await assert.rejects(link.recordings!.open(key, new AbortController().signal), { code: 'unavailable' });
      link.close?.();
      assert.ok(requests <= 5);
      const written = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      for (const { parentPath, name } of written) assert.ok(readFileSync(join(parentPath, name)).length <= good.bytes);
    }
  });

  it('a connection that ends while a Recording or a file is brought is an error of the call', async (t) => {
    let connections = 0;
    const socket = await agentThat(t, (path, response) => {
      if (!path.includes('?from')) return json(response, { files: [good] });
      response.writeHead(200, { 'content-length': 4 });
      response.write('ev', () => response.destroy());
    });
    const { link } = linkOver(t, () => ((connections += 1) > 2 ? openStream(BROKEN, 'device') : connect(socket)));
    await assert.rejects(link.recordings!.open(key, new AbortController().signal), { code: 'unavailable' });
    assert.ok(connections > 2);

    const asset = join(testFolder(t, 'asset'), 'logo.png');
    writeFileSync(asset, 'png');
    const asking = await agentThat(t, (_path, response) => {
      response.statusCode = 404;
      json(response, {});
    });
    let calls = 0;
    const sender = linkOver(t, () => ((calls += 1) > 1 ? openStream(BROKEN, 'device') : connect(asking))).link;
    const spec = runSpec();
    await assert.rejects(sender.prepare!({ ...spec, source: { ...spec.source, path: asset } }), {
      code: 'unavailable',
    });
    assert.ok(calls > 1);
    for (const { close } of [link, sender]) close?.();
  });
});

describe('orders of a server', () => {
  it('an agent refuses orders that it could not read again, keeps nothing of them, and goes on', async (t) => {
    const testDevice = new TestDevice(t);
    await testDevice.agentHere();
    const link = testDevice.link();
    const spec = runSpec();
    const { socket } = testDevice;
    const send = (path: string, body: unknown) =>
      callSocket({ socket, method: path === '/ingests' ? 'PUT' : 'POST', path, body, timeoutMs: 10_000 });
    for (const field of ['runId', 'livestreamId', 'source', 'fallback', 'picture', 'renditions', 'outputs'])
      for (const value of [null, 0.5, 'x/..', {}, [null]])
        assert.equal(
          (await send('/runs', { spec: { ...spec, [field]: value } })).status,
          400,
          `${field}: ${JSON.stringify(value)}`,
        );
    for (const body of [
      null,
      5,
      [],
      {},
      { change: null },
      { change: {} },
      { change: { type: 'outputs', add: null } },
      { ingests: [null] },
      { ingests: 5 },
      { source: {} },
    ])
      for (const path of ['/runs', '/runs/r/change', '/ingests', '/probe', '/probe/picture'])
        assert.ok([400, 409].includes((await send(path, body)).status), path);
    const runs = join(testDevice.dir, 'runs');
    assert.deepEqual(existsSync(runs) ? readdirSync(runs) : [], []);
    const newer = { ...spec, weather: 'rain', source: { ...spec.source, hue: 5 } };
    await link.start(newer);
    const { runs: reports } = await link.hello();
    assert.deepEqual(
      reports.map(({ runId }) => runId),
      [spec.runId],
    );
    await link.stop(spec.runId);
    link.close?.();
  });
});
