/** SRT carries every byte, and notices the loss of its peer soon. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasPayload, PACKET_BYTES, pidOf } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { PMT_PID } from '../../../device/media/mpeg-ts/psi.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { itLong } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';
import { decoded } from './receivers.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300)] };

async function stateOf(runner: TestRunner, id: number) {
  return (await runner.report()).publishings.find(({ publishingId }) => publishingId === id)!.primary;
}

interface Sink {
  pid: number;
  path: string;
  bytes(): number;
  signal(name: NodeJS.Signals): void;
}

/** Writes down what comes, as it comes. */
function listen(t: TestScope, url: string, path: string): Sink {
  const args = ['-v', 'error', '-nostdin', '-y', '-fflags', 'nobuffer', '-probesize', '32', '-f', 'data', '-i', url];
  const child = spawn('ffmpeg', [...args, '-map', '0', '-c', 'copy', '-f', 'data', path], { stdio: 'ignore' });
  cleanUp(t, () => child.kill('SIGKILL'));
  const bytes = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return { pid: child.pid!, path, bytes, signal: (name) => void child.kill(name) };
}

test('the transport stream over SRT arrives as the Device wrote it, by IPv6 too', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const sink = listen(t, `srt://[::1]:${port}?mode=listener`, join(dir, 'got.ts'));
  const to = output(31, 'SRT', { url: `srt://[::1]:${port}`, stream_key: '#!::r=live,m=publish' });
  const runner = startRunner(t, dir, runSpec('srt-bytes', fileSource(clip(dir)), [to], SMALL));
  await running(runner);
  await until('4 s of media', () => sink.bytes() > 180_000);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  const data = readFileSync(sink.path);
  assert.equal(data.length % PACKET_BYTES, 0);
  const pids = new Set<number>();
  const counters = new Map<number, number>();
  for (let at = 0; at < data.length; at += PACKET_BYTES) {
    assert.equal(data[at], 0x47, `byte ${at} begins a packet`);
    const pid = pidOf(data, at);
    pids.add(pid);
    if (pid === 0x1fff || !hasPayload(data, at)) continue;
    const counter = data[at + 3]! & 15;
    const before = counters.get(pid);
    if (before !== undefined) assert.equal(counter, (before + 1) & 15, `pid ${pid} has no gap`);
    counters.set(pid, counter);
  }
  // ffmpeg's muxer would have added a service description (pid 17) and given the streams numbers of its own.
  assert.ok(pids.has(0) && pids.has(PMT_PID) && !pids.has(17), [...pids].join());
  const { video, audio, complaints } = await decoded(sink.path);
  // The end of the connection may cut the last of each short: a line for the sound, two for the picture.
  const torn = complaints.split('\n').filter((line) => line !== '').length;
  assert.ok(video > 60 && audio > 80 && torn <= 3, `${video} ${audio} ${complaints}`);
});

itLong('SRT peers that are killed or stand still are noticed, and found again', async (t) => {
  const dir = folder(t);
  const peers = await Promise.all(
    (['SIGKILL', 'SIGSTOP'] as const).map(async (signal, i) => {
      const port = await freePort();
      const open = (name: string): Sink =>
        listen(t, `srt://127.0.0.1:${port}?mode=listener`, join(dir, `${signal}-${name}.ts`));
      return { signal, id: 31 + i, port, open, first: open('first') };
    }),
  );
  const outputs = [
    ...peers.map(({ id, port }) => output(id, 'SRT', { url: `srt://127.0.0.1:${port}` })),
    output(21, 'HLS / TS'),
  ];
  const runner = startRunner(t, dir, runSpec('srt-peers', fileSource(clip(dir)), outputs, SMALL));
  await running(runner);
  await until('both are served', () => peers.every(({ first }) => first.bytes() > 20_000));
  for (const { first, signal } of peers) first.signal(signal);
  for (const { id, signal } of peers) {
    const lost = await until('the loss is noticed', async () => {
      const status = await stateOf(runner, id);
      return status.state === 'retrying' && status;
    });
    // Once it is tried again, and nobody is there, that stands in its place.
    assert.match(lost.last_error!, /has gone|does not answer/u);
    t.diagnostic(`${signal}: ${lost.last_error}`);
  }
  for (const { first } of peers) first.signal('SIGKILL');
  await until('nobody is there', async () => /does not answer/u.test((await stateOf(runner, 31)).last_error ?? ''));
  const again = peers.map(({ open }) => open('second'));
  for (const { id } of peers) await until('it is up again', async () => (await stateOf(runner, id)).state === 'up');
  await until('the second ones are served', () => again.every((sink) => sink.bytes() > 20_000));
  const kindsOf = (id: number): string[] =>
    runner.events().flatMap(({ kind, data }) => (data.publishingId === id ? [kind] : []));
  for (const { id } of peers) {
    const [up, down, ...rest] = kindsOf(id);
    assert.deepEqual([up, down], ['destination_up', 'destination_down']);
    assert.equal(rest.at(-1), 'destination_up');
  }
  assert.deepEqual(kindsOf(21), ['destination_up'], 'HLS has not noticed');
});
