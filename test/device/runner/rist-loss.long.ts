/** RIST over a line that loses packets both ways, with the sender and the receiver of rist-tools as peers. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RIST } from '../../../domain/network/rist.ts';
import { openRistRelay } from '../../../device/runner/rist/rist-relay.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { makeCountedClip, timelineOf } from '../../helpers/counted.ts';
import { lossyRelay } from '../../helpers/lossy-relay.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { feed } from './feeder.ts';
import { receive, type Receiver } from './receivers.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, output, QUICK, rendition, runSpec } from './specs.ts';

const SECRET = 'secret-of-both';
const RIST = { ...DEFAULT_RIST, secret: SECRET, key_bits: 256 as const };
const LINE = { lossPercent: 15, delayMs: 20 };
const PEER = `secret=${SECRET}&aes-type=256&buffer=1000`;
const ENOUGH_BYTES = 400_000;

function start(t: TestScope, program: string, ...args: string[]): void {
  const child = spawn(program, args, { stdio: 'ignore' });
  cleanUp(t, () => void child.kill('SIGKILL'));
}

/** Pictures that are missing between the first and the last. */
async function missingOf(received: Receiver): Promise<number> {
  await until(`media at ${received.path}`, () => received.bytes() > ENOUGH_BYTES);
  await received.stop();
  const pictures = timelineOf(received.path).pictures.filter((picture) => picture !== undefined);
  assert.ok(pictures.length > 60, `${pictures.length} pictures`);
  return pictures.at(-1)! - pictures[0]! + 1 - pictures.length;
}

test('a source by ristsender has each of its pictures over a line that loses 15 % both ways', async (t) => {
  const dir = folder(t);
  const file = makeCountedClip(join(dir, 'counted.mp4'), 3000);
  const [port, local] = [await freePort(), await freePort()];
  const relay = await openRistRelay(`rist://@127.0.0.1:${port}`, RIST, '');
  cleanUp(t, () => relay.close());
  const line = await lossyRelay(t, port, LINE);
  const secret = ['-secret', SECRET, '-encryption', '256', '-buffer_size', '1000'];
  const received = receive(t, relay.url, join(dir, 'in.ts'), undefined, secret);
  start(t, 'ristsender', '-p', '1', '-i', `udp://@127.0.0.1:${local}`, '-o', `rist://127.0.0.1:${line.port}?${PEER}`);
  feed(t, file, '-f', 'mpegts', `udp://127.0.0.1:${local}?pkt_size=1316`);
  assert.equal(await missingOf(received), 0);
  t.diagnostic(`${line.lost()} datagrams lost`);
  assert.ok(line.lost() > 50);
});

test('a Destination gives ristreceiver each picture over that line, where plain UDP loses some', async (t) => {
  const dir = folder(t);
  const file = makeCountedClip(join(dir, 'counted.mp4'), 3000);
  const [port, plain, local] = [await freePort(), await freePort(), await freePort()];
  const [line, plainLine] = [await lossyRelay(t, port, LINE), await lossyRelay(t, plain, LINE)];
  start(t, 'ristreceiver', '-p', '1', '-i', `rist://@127.0.0.1:${port}?${PEER}`, '-o', `udp://127.0.0.1:${local}`);
  const [byRist, byUdp] = [
    receive(t, `udp://127.0.0.1:${local}`, join(dir, 'rist.ts')),
    receive(t, `udp://127.0.0.1:${plain}`, join(dir, 'udp.ts')),
  ];
  const outputs = [
    output(31, 'STREAM', { url: `rist://127.0.0.1:${line.port}`, rist: RIST }),
    output(32, 'STREAM', { url: `udp://127.0.0.1:${plainLine.port}` }),
  ];
  const renditions = [rendition(11, 320, 180, 400, QUICK.rendition)];
  const runner = startRunner(t, dir, runSpec('rist-loss', fileSource(file), outputs, { renditions }));
  await running(runner);
  assert.equal(await missingOf(byRist), 0);
  const lost = await missingOf(byUdp);
  t.diagnostic(`${line.lost()} datagrams of RIST lost, ${lost} pictures of plain UDP`);
  assert.ok(lost > 0 && line.lost() > 50);
  await runner.stop();
});
