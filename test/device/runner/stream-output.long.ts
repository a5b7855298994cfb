/** Datagrams on the loopback, by UDP and RTP, to one receiver and to a group. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { capture, continuityErrors, decoded, receive } from './receivers.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';
import { freePort } from '../../helpers/ports.ts';

const LADDER = { renditions: [rendition(12, 320, 180, 300), rendition(11, 640, 360, 3000)] };

test('a programme by UDP and RTP, to one and to a group, decodes without a gap', async (t) => {
  const dir = folder(t);
  const plain = await capture(t);
  const rtp = await capture(t);
  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const group = 'localaddr=127.0.0.1';
  const received = [
    receive(t, `udp://127.0.0.1:${ports[0]}`, join(dir, 'udp.ts'), 2),
    receive(t, `rtp://127.0.0.1:${ports[1]}`, join(dir, 'rtp.ts'), 2),
    receive(t, `udp://239.255.77.1:${ports[2]}?${group}`, join(dir, 'group.ts'), 2),
    receive(t, `rtp://239.255.77.2:${ports[3]}?${group}`, join(dir, 'rtp-group.ts'), 2),
  ];
  const outputs = [
    output(
      31,
      'STREAM',
      { url: `udp://127.0.0.1:${plain.port}`, backup_url: `rtp://127.0.0.1:${rtp.port}` },
      { backup: true },
    ),
    output(32, 'STREAM', { url: `udp://127.0.0.1:${ports[0]}?pkt_size=1316` }),
    output(33, 'STREAM', { url: `rtp://127.0.0.1:${ports[1]}` }),
    output(34, 'STREAM', { url: `udp://@239.255.77.1:${ports[2]}?ttl=1&${group}` }),
    output(35, 'STREAM', { url: `rtp://239.255.77.2:${ports[3]}?${group}` }),
  ];
  const runner = startRunner(t, dir, runSpec('datagrams', fileSource(clip(dir)), outputs, LADDER));
  const report = await running(runner);
  assert.equal(report.publishings.length, outputs.length);
  for (const { path, bytes, process } of received) {
    await until(`all of ${path}`, () => process.exitCode !== null);
    assert.ok(bytes() > 0, path);
    const { video, audio, complaints } = await decoded(path);
    t.diagnostic(`${path.split('/').at(-1)}: ${video} pictures, ${audio} sound frames ${complaints}`);
    // ffmpeg throws the first RTP datagram away, with the tables and a keyframe's beginning: up to one GOP is not seen.
    assert.ok(video >= 25 && audio >= 60, `${path}: ${video} pictures, ${audio} sound frames`);
    assert.equal(complaints, '', path);
  }
  await until('datagrams enough', () => plain.datagrams.length > 600 && rtp.datagrams.length > 600);
  const after = await runner.report();
  for (const { primary, backup } of after.publishings)
    assert.deepEqual([primary.state, primary.attempts, backup?.state ?? 'up'], ['up', 0, 'up']);
  await runner.stop();
  assert.equal(await runner.exited, 0);

  const raw = Buffer.concat(plain.datagrams.map(({ data }) => data));
  assert.ok(plain.datagrams.every(({ data }) => data.length === 1316));
  assert.equal(continuityErrors(raw), 0);
  writeFileSync(join(dir, 'raw.ts'), raw);
  const { video, complaints } = await decoded(join(dir, 'raw.ts'));
  assert.ok(video > 60);
  assert.equal(complaints, '');

  const [first] = rtp.datagrams;
  assert.deepEqual([first!.data.length, first!.data[0], first!.data[1]], [1328, 0x80, 33]);
  assert.equal(continuityErrors(Buffer.concat(rtp.datagrams.map(({ data }) => data.subarray(12)))), 0);
  for (const [i, { data }] of rtp.datagrams.entries()) {
    assert.equal(data.readUInt16BE(2), (first!.data.readUInt16BE(2) + i) & 0xffff, 'each sequence number once');
    assert.equal(data.readUInt32BE(8), first!.data.readUInt32BE(8), 'one source');
  }
});
