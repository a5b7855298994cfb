/** Cues of breaks that are meant for an instant ahead: where they are put, and when they are given. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { CUE_PID } from '../../../device/media/mpeg-ts/ts-metadata.ts';
import { SplicePoints } from '../../../device/runner/stream/splice-points.ts';
import type { RunEvent } from '../../../domain/run.ts';
import type { CueSpec } from '../../../domain/runtime.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import { capture } from './receivers.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

const TICKS = 90_000;
const FPS = 30;

/** So many frames have left, with a keyframe each so many seconds. */
function withKeyframesEach(seconds: number, frames: number): { points: SplicePoints; newest: number } {
  const h264 = { ...rendition(11, 320, 180, 300).video!.h264, keyframe_interval: seconds };
  const points = new SplicePoints(planLadder([rendition(11, 320, 180, 300, { h264 })]));
  for (let n = 0; n < frames; n += 1) points.note(n * (TICKS / FPS), n % (seconds * FPS) === 0);
  return { points, newest: (frames - 1) * (TICKS / FPS) };
}

test('a planned cue is at the keyframe nearest to its instant, or at the instant if that is over a second off', () => {
  const worst: Record<number, number> = {};
  for (const seconds of [1, 2, 4, 10])
    for (let frames = 301; frames < 301 + seconds * FPS; frames += 1) {
      const { points, newest } = withKeyframesEach(seconds, frames);
      const wanted = newest + 2.5 * TICKS;
      const ticks = points.spliceTicks(undefined, wanted)!;
      const off = Math.abs(ticks - wanted) / TICKS;
      worst[seconds] = Math.max(worst[seconds] ?? 0, off);
      const toKey = Math.abs(ticks / TICKS / seconds - Math.round(ticks / TICKS / seconds)) * seconds;
      assert.ok(toKey < 1e-4 || off < 1e-4, `${toKey} s from a keyframe, ${off} s from the instant`);
      assert.ok(ticks - newest >= 0.5 * TICKS, 'a splicer has time to get ready');
    }
  assert.deepEqual(worst, { 1: 0.5, 2: 1, 4: 1, 10: 1 });
});

test('a planned cue that arrives late is inserted as soon as one without an instant', () => {
  const { points, newest } = withKeyframesEach(1, 320);
  assert.equal(points.spliceTicks(undefined, newest - TICKS), points.spliceTicks());
  // Not before what it has to follow.
  const after = newest + 3 * TICKS;
  assert.ok(points.spliceTicks(after, newest + 2.5 * TICKS)! > after, 'later than the end of the break before');
});

const cues = (runner: TestRunner): RunEvent[] => runner.events().filter(({ data }) => data.change === 'cue');

/** `skewMs`: what the clock of who asks is ahead of the runner's. */
function ahead(inMs: number, skewMs = 0): CueSpec['ahead'] {
  return { atMs: Date.now() + skewMs + inMs, inMs };
}

async function ask(runner: TestRunner, cue: CueSpec, skewMs = 0): Promise<{ wantedMs: number; event: RunEvent }> {
  const count = cues(runner).length;
  const wantedMs = cue.ahead!.atMs - skewMs;
  const answer = await change(runner, { type: 'cue', cue });
  assert.equal(answer.status, 200, answer.detail);
  return { wantedMs, event: cues(runner)[count]! };
}

test('planned cues are near their instants in a stream with a keyframe each two seconds', async (t) => {
  const dir = folder(t);
  const receiver = await capture(t);
  const { video } = rendition(11, 320, 180, 300);
  const ladder = { renditions: [rendition(11, 320, 180, 300, { h264: { ...video!.h264, keyframe_interval: 2 } })] };
  const outputs = [output(21, 'HLS / TS'), output(41, 'STREAM', { url: `udp://127.0.0.1:${receiver.port}` })];
  const runner = startRunner(t, dir, runSpec('planned', fileSource(clip(dir)), outputs, ladder));
  await running(runner);
  const given: { wantedMs: number; event: RunEvent }[] = [];
  for (let at = 0; at < 8; at += 1) {
    const type = at % 2 === 0 ? 'ScteOut' : 'ScteIn';
    // One comes from a machine whose clock is a minute off.
    const skewMs = at === 6 ? 60_000 : 0;
    given.push(await ask(runner, { type, id: 1 + (at >> 1), ahead: ahead(2500, skewMs) }, skewMs));
    await sleep(700);
  }
  const off = given.map(({ wantedMs, event }) => (Date.parse(event.data.at as string) - wantedMs) / 1000);
  t.diagnostic(`seconds from their instants: ${off.join(', ')}`);
  for (const [at, seconds] of off.entries()) {
    // What the order takes to get there is not known where clocks differ.
    const most = at === 6 ? 3.2 : 3;
    assert.ok(Math.abs(seconds) <= most, `${seconds} s from its instant`);
  }

  // One that has ended by itself by then stands in nobody's way.
  const last = Date.parse(given.at(-1)!.event.data.at as string);
  await until('the last break is over', () => Date.now() > last);
  const short = await ask(runner, { type: 'CueOut', id: 20, duration: 1, ahead: ahead(2500) });
  const next = await ask(runner, { type: 'CueOut', id: 21, duration: 1, ahead: ahead(6000) });
  const seconds = Date.parse(next.event.data.at as string) - Date.parse(short.event.data.at as string);
  assert.ok(seconds >= 1000, `${seconds} ms after the beginning of the one before`);
  const both = await change(runner, { type: 'cue', cue: { type: 'CueOut', id: 22, ahead: ahead(6200) } });
  assert.match(both.detail!, /Break 21 is open since/u);

  await until('the end of the first of them', () => cues(runner).some(({ data }) => data.automatic === true));
  await runner.stop();
  assert.equal(await runner.exited, 0);
  const path = join(dir, 'udp.ts');
  writeFileSync(path, Buffer.concat(receiver.datagrams.map(({ data }) => data)));
  const sent = sectionTimes(path);
  assert.ok(sent.length >= given.length, `${sent.length} sections`);
  for (const [at, { event }] of given.entries()) {
    const ahead = (event.data.pts_seconds as number) - sent[at]!;
    assert.ok(ahead >= 0.5 && ahead < 3.6, `given ${ahead} s before`);
  }
});

/** Times of the stream at which each was sent. */
function sectionTimes(path: string): number[] {
  const args = ['-v', 'error', '-show_entries', 'stream=index,id:packet=stream_index,pts_time', '-of', 'json', path];
  const { streams, packets } = JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8', timeout: 30_000 })) as any;
  const index = streams.find((stream: any) => Number(stream.id) === CUE_PID)?.index;
  return packets.filter((packet: any) => packet.stream_index === index).map(({ pts_time }: any) => Number(pts_time));
}
