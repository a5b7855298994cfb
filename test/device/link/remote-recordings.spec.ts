/** Recordings on another machine: brought here over the paired channel, also when the line breaks in the middle. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { deviceNetwork } from '../../../device/link/client.ts';
import { recordingsDir } from '../../../device/run-dir.ts';
import type { PairedLink } from '../../../domain/ports/device-link.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { runSpec } from '../agent/fixtures/spec.ts';
import { TestDevice } from '../agent/fixtures/test-device.ts';
import { until } from '../../helpers/until.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { testFolder } from '../../helpers/test-folder.ts';

/** While its run is on, files are what they are: no program of the Device looks into them. */
const PARTS = [randomBytes(3_000_000), randomBytes(700_001)];

interface Far {
  link: PairedLink;
  key: { livestreamId: number; runId: string; publishingId: number };
  dir: string;
  clock: FakeClock;
  /** Bytes of answers that get through before the line is cut, once. */
  cutAfter(bytes: number): void;
}

async function far(t: TestContext): Promise<Far> {
  const testDevice = new TestDevice(t);
  const agent = await testDevice.agentHere('--listen', '127.0.0.1:0');
  const [shown] = await until('credentials', () => agent.shown().length > 0 && agent.shown());
  const line = await breakingLine(t, Number(shown!.address.split(':').at(-1)));
  const dir = testFolder(t, 'brought');
  const clock = new FakeClock();
  const network = deviceNetwork({ log: silentLog, clock, dir });
  const link = network.connect(line.address, await network.pair(line.address, shown!));
  cleanUp(t, () => link.close?.());
  const spec = runSpec();
  await link.start(spec);
  const key = { livestreamId: spec.livestreamId, runId: spec.runId, publishingId: 23 };
  const folder = recordingsDir(testDevice.dir, spec.livestreamId);
  mkdirSync(folder, { recursive: true });
  PARTS.forEach((bytes, n) => writeFileSync(join(folder, `${spec.runId}-23-${n + 1}.mp4`), bytes));
  return { link, key, dir, clock, cutAfter: line.cutAfter };
}

async function breakingLine(t: TestContext, port: number): Promise<{ address: string; cutAfter(bytes: number): void }> {
  let left = Infinity;
  const server: Server = createServer((near) => {
    const distant = connect(port, '127.0.0.1');
    near.on('error', () => distant.destroy()).on('close', () => distant.destroy());
    distant.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(distant);
    distant.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left > 0) return near.write(chunk);
      left = Infinity;
      return near.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => server.close());
  const { port: own } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${own}`, cutAfter: (bytes) => void (left = bytes) };
}

test('all parts of a remote Recording are brought with progress, shared by readers, and gone when unread for a while', async (t) => {
  const { link, key, dir, clock } = await far(t);
  const [held] = await link.recordings!.list();
  assert.deepEqual([held!.state, held!.files, held!.size_bytes], ['recording', 2, 3_700_001]);
  const progress: number[] = [];
  const opened = await link.recordings!.open(key, new AbortController().signal, (done, total) =>
    progress.push(done, total),
  );
  assert.deepEqual(
    opened.files.map((path) => readFileSync(path)),
    PARTS,
  );
  assert.deepEqual(progress.slice(-2), [3_700_001, 3_700_001]);
  const again = await link.recordings!.open(key, new AbortController().signal);
  assert.deepEqual(again.files, opened.files);
  await opened.release();
  await opened.release();
  clock.advance(3_600_000);
  assert.ok(existsSync(again.files[0]!), 'somebody reads it still');
  await again.release();
  clock.advance(599_000);
  assert.ok(existsSync(dirname(again.files[0]!)), 'it may be asked for again');
  clock.advance(1000);
  await until('it is removed', () => readdirSync(dir).length === 0);
});

test('a transfer that breaks in the middle is no loss, and two readers wait for one transfer', async (t) => {
  const { link, key, dir, cutAfter } = await far(t);
  cutAfter(1_500_000);
  const signal = new AbortController().signal;
  const [one, two] = await Promise.all([link.recordings!.open(key, signal), link.recordings!.open(key, signal)]);
  assert.deepEqual(
    one.files.map((path) => readFileSync(path)),
    PARTS,
  );
  assert.deepEqual(two.files, one.files);
  assert.equal(readdirSync(dir).length, 1);
});

test('a reader who gives up is not waited for, a missing Recording is not found, one being written not removed', async (t) => {
  const { link, key } = await far(t);
  const giveUp = new AbortController();
  const opening = link.recordings!.open(key, giveUp.signal, () => giveUp.abort());
  await assert.rejects(opening, { code: 'unavailable' });
  const signal = new AbortController().signal;
  assert.deepEqual(
    (await link.recordings!.open(key, signal)).files.map((path) => readFileSync(path)),
    PARTS,
  );
  await assert.rejects(link.recordings!.open({ ...key, publishingId: 24 }, signal), { code: 'not_found' });
  await assert.rejects(link.recordings!.remove(key), { code: 'wrong_state' });
});
