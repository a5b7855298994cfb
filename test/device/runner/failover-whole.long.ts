/** Failover by each of the four causes in one run, seen at every kind of output at once; a source that comes and goes; and what people decide. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordingsDir } from '../../../device/run-dir.ts';
import { failoverField, type FailoverCause } from '../../../domain/shapes/broadcasts/failover.ts';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';
import { longestStep, soundOffsets, timelineOf } from '../../helpers/counted.ts';
import { freePort } from '../../helpers/ports.ts';
import { letPass } from '../../helpers/pass.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import { countedPair, faultsFrom, PICTURES } from './counted-pair.ts';
import { receive } from './receivers.ts';
import { clip, folder, running, startRtmpServer } from './runner-fixture.ts';
import { broadcast } from './screen.ts';
import { BACKUP, FIRST, RETURNED, sourcePair, TO_BACKUP } from './source-pair.ts';
import { LIVESTREAM_ID, output } from './specs.ts';
import { receiver } from './standstill.ts';
import { serveLive } from './web-server.ts';

const AFTER = 1;
const FAULTS = faultsFrom(12);
const CAUSES: FailoverCause[] = [...FAULTS.map(({ cause }) => cause), 'loss'];

test('each of the four causes costs no output a picture beyond the switch', async (t) => {
  const dir = folder(t);
  const [rtmpPort, srtPort, origin, datagrams] = [
    await freePort(),
    await freePort(),
    await serveLive(t, dir),
    await receiver(t),
  ];
  const server = await startRtmpServer(t, dir, rtmpPort);
  const fromSrt = receive(t, `srt://127.0.0.1:${srtPort}?mode=listener`, join(dir, 'srt.ts'));
  const outputs = [
    output(22, 'CMAF', { playlist_length: 120 }),
    output(23, 'RTMP', { url: `rtmp://127.0.0.1:${rtmpPort}/live`, stream_key: 'show' }),
    output(24, 'SRT', { url: `srt://127.0.0.1:${srtPort}` }),
    output(25, 'STREAM', { url: datagrams.url }),
    output(26, 'Record'),
  ];
  const options = { on: CAUSES, after_seconds: AFTER, return_after_seconds: 1 };
  const { runner, first, again, failovers } = await countedPair(t, options, FAULTS, { outputs, dir });
  await running(runner);
  await until('the RTMP server has a publisher', async () => (await server.publishers()).length === 1);
  const fromRtmp = receive(t, `rtmp://127.0.0.1:${rtmpPort}/live/show`, join(dir, 'rtmp.ts'));
  await until('six changes', () => failovers().length === 6);
  await letPass(2000);
  first.kill();
  await until('the backup is on air', () => failovers().length === 7);
  again();
  await until('the first source is back', () => failovers().length === 8);
  await letPass(2000);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  await Promise.all([fromSrt.stop(), fromRtmp.stop()]);

  assert.deepEqual(
    failovers().map(({ data }) => data),
    CAUSES.flatMap((reason) => [{ reason, ...TO_BACKUP }, RETURNED]),
  );
  const lost = runner.events().filter(({ kind }) => kind === 'destination_down');
  assert.deepEqual(lost, [], 'no Destination has noticed');
  datagrams.write(join(dir, 'datagrams.ts'));
  const recordings = readdirSync(recordingsDir(dir, LIVESTREAM_ID));
  assert.equal(recordings.length, 1);
  // The server is in this process, which waits for each reading below.
  const fragments = receive(t, `${origin}/live/${LIVESTREAM_ID}/22/index.m3u8`, join(dir, 'cmaf.ts'));
  await until('all of CMAF', () => fragments.process.exitCode !== null);
  const received = {
    'HLS / TS': broadcast(dir),
    CMAF: fragments.path,
    RTMP: fromRtmp.path,
    SRT: fromSrt.path,
    STREAM: join(dir, 'datagrams.ts'),
    Record: join(recordingsDir(dir, LIVESTREAM_ID), recordings[0]!),
  };
  for (const [kind, input] of Object.entries(received)) {
    const timeline = timelineOf(input);
    const { pictures, times } = timeline;
    const stretches = stretchesOf(pictures);
    const step = longestStep(times);
    const offsets = soundOffsets(timeline).map((seconds) => 1000 * seconds);
    const [least, most] = [Math.min(...offsets), Math.max(...offsets)];
    t.diagnostic(
      `${kind}: ${pictures.length} pictures, sound ${least.toFixed(1)} to ${most.toFixed(1)} ms, ` +
        `on air with a fault ${stretches.map(({ held }) => held).join(', ')} pictures`,
    );
    // RTMP counts in milliseconds.
    assert.ok(step < 0.0345, `${kind}: a step of ${step} s`);
    // The first source and its backup in turn, four times, and the first source.
    assert.deepEqual(
      stretches.map(({ isBackup }) => isBackup),
      [false, true, false, true, false, true, false, true, false],
      kind,
    );
    for (const [i, { gaps, held, isBackup }] of stretches.entries()) {
      assert.deepEqual(gaps, [], `${kind}, stretch ${i}`);
      // The fault itself is seen until the switch; silence is none of the pictures.
      const cause = isBackup ? undefined : CAUSES[i / 2];
      const isSeen = cause !== undefined && cause !== 'silent';
      assert.ok(isSeen ? held > 0 : held === 0, `${kind}, stretch ${i}: ${held} held`);
    }
    assert.ok(offsets.length >= 10 && least >= -45 && most <= 45, `${kind}: ${offsets.join(', ')} ms`);
  }
});

interface Stretch {
  isBackup: boolean;
  /** Pictures at its end that show its fault: none, or the last one again. */
  held: number;
  /** Before them: pictures that do not follow the one before. */
  gaps: string[];
}

/** The pictures of either source in their turns; at the start the first one stands while the sound that came with it is waited for. */
function stretchesOf(all: readonly (number | undefined)[]): Stretch[] {
  const pictures = all.slice(all.findIndex((n, at) => n !== undefined && all[at + 1] !== n));
  const isBackup = (n: number): boolean => n >= PICTURES;
  const turns: (number | undefined)[][] = [];
  let last: number | undefined;
  for (const n of pictures) {
    if (n !== undefined && (last === undefined || isBackup(n) !== isBackup(last))) turns.push([]);
    turns.at(-1)?.push(n);
    last = n ?? last;
  }
  return turns.map((turn) => {
    let end = turn.length;
    while (end > 1 && (turn[end - 1] === undefined || turn[end - 1] === turn[end - 2])) end -= 1;
    const good = turn.slice(0, end);
    const gaps = good.flatMap((n, at) => (at > 0 && n !== good[at - 1]! + 1 ? [`${good[at - 1]} → ${n}`] : []));
    return { isBackup: isBackup(good[0]!), held: turn.length - end, gaps };
  });
}

test('a first source that comes and goes each second goes off the air once', async (t) => {
  const dir = folder(t);
  const file = clip(dir);
  const options = { after_seconds: 1, return_after_seconds: 3 };
  const { runner, first, again, failovers } = await sourcePair(t, dir, [file, file], options);
  await running(runner);
  await letPass(3000);
  first.kill();
  await until('the backup is on air', () => failovers().length === 1);
  for (let n = 0; n < 10; n += 1) {
    const feeder = again();
    await letPass(1000);
    feeder.kill();
    await letPass(1000);
  }
  assert.deepEqual(reasons(failovers()), ['loss']);
  again();
  await until('the first source is back', () => failovers().length === 2);
  assert.deepEqual(reasons(failovers()), ['loss', 'returned']);
  await runner.stop();
  assert.equal(await runner.exited, 0);
});

test('people decide: hold, auto on air, a choice by hand; and both sources lost', async (t) => {
  const dir = folder(t);
  const file = clip(dir);
  const options = { after_seconds: 1, return: 'hold' as const, return_after_seconds: 1 };
  const { runner, first, backup, sources, again, failovers } = await sourcePair(t, dir, [file, file], options);
  const onAir = async (): Promise<number | null> => (await runner.report()).source.channelId;
  await running(runner);
  await letPass(3000);
  first.kill();
  await until('the backup is on air', () => failovers().length === 1);
  const feeder = again();
  await letPass(4000);
  assert.deepEqual([reasons(failovers()), await onAir()], [['loss'], BACKUP], 'hold');

  const auto = failoverField.parse({ ...options, return: 'auto' });
  assert.equal((await change(runner, { type: 'options', options: { failover: auto } })).status, 200);
  await until('auto takes effect on air', () => failovers().length === 2);
  assert.deepEqual([reasons(failovers()), await onAir()], [['loss', 'returned'], FIRST]);

  assert.equal((await change(runner, { type: 'source', source: sources.backup })).status, 200);
  await letPass(4000);
  assert.deepEqual([failovers().length, await onAir()], [2, BACKUP], 'a choice by hand is not undone');

  backup.kill();
  await until('the first source takes over', () => failovers().length === 3);
  feeder.kill();
  await letPass(4000);
  assert.deepEqual([reasons(failovers()), await onAir()], [['loss', 'returned', 'loss'], FIRST], 'both are lost');
  again('backup');
  await until('the one that is there takes over', () => failovers().length === 4);
  assert.deepEqual([failovers().at(-1)!.data, await onAir()], [{ reason: 'loss', ...TO_BACKUP }, BACKUP]);
  again();
  await until('the first source is back', () => failovers().length === 5);
  assert.deepEqual(failovers().at(-1)!.data, RETURNED);
  await runner.stop();
  assert.equal(await runner.exited, 0);
});

function reasons(events: readonly RunEvent[]): unknown[] {
  return events.map(({ data }) => data['reason']);
}
