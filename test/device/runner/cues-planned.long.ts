/** Cues of breaks that are meant for an instant ahead: where they are put, and when they are given. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CUE_PID } from '../../../device/media/mpeg-ts/ts-metadata.ts';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';
import type { CueSpec } from '../../../domain/shapes/changes/change-bodies.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { letPass } from '../../helpers/pass.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import { capture } from './receivers.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

const cues = (runner: TestRunner): RunEvent[] => runner.events().filter(({ data }) => data.change === 'cue');

/** `skewMs`: what the clock of who asks is ahead of the runner's. */
function ahead(inMs: number, skewMs = 0): CueSpec['ahead'] {
  return { atMs: Date.now() + skewMs + inMs, inMs };
}

async function ask(runner: TestRunner, cue: CueSpec): Promise<{ event: RunEvent }> {
  const count = cues(runner).length;
  const answer = await change(runner, { type: 'cue', cue });
  assert.equal(answer.status, 200, answer.detail);
  return { event: cues(runner)[count]! };
}

test('planned cues are given half a second ahead at least, each behind the one before, whatever the clock of who asks', async (t) => {
  const dir = folder(t);
  const receiver = await capture(t);
  const { video } = rendition(11, 320, 180, 300);
  const ladder = { renditions: [rendition(11, 320, 180, 300, { h264: { ...video!.h264, keyframe_interval: 2 } })] };
  const outputs = [output(21, 'HLS / TS'), output(41, 'STREAM', { url: `udp://127.0.0.1:${receiver.port}` })];
  const runner = startRunner(t, dir, runSpec('planned', fileSource(clip(dir)), outputs, ladder));
  await running(runner);
  const given: { event: RunEvent }[] = [];
  for (let at = 0; at < 8; at += 1) {
    const type = at % 2 === 0 ? 'ScteOut' : 'ScteIn';
    // One comes from a machine whose clock is a minute off.
    const skewMs = at === 6 ? 60_000 : 0;
    given.push(await ask(runner, { type, id: 1 + (at >> 1), ahead: ahead(2500, skewMs) }));
    await letPass(700);
  }
  // One that has ended by itself by then stands in nobody's way.
  const last = given.at(-1)!.event.data.at as string;
  await until('the last break is over', async () => new Date().toISOString() > last);
  const short = await ask(runner, { type: 'CueOut', id: 20, duration: 1, ahead: ahead(2500) });
  const next = await ask(runner, { type: 'CueOut', id: 21, duration: 1, ahead: ahead(6000) });
  const ptsOf = ({ event }: { event: RunEvent }): number => event.data.pts_seconds as number;
  assert.ok(ptsOf(next) - ptsOf(short) >= 1, 'not before the end of the one before');
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
    assert.ok(ahead >= 0.5, `given ${ahead} s before`);
  }
});

/** Times of the stream at which each was sent. */
function sectionTimes(path: string): number[] {
  const args = ['-v', 'error', '-show_entries', 'stream=index,id:packet=stream_index,pts_time', '-of', 'json', path];
  const { streams, packets } = JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8', timeout: 120_000 })) as any;
  const index = streams.find((stream: any) => Number(stream.id) === CUE_PID)?.index;
  return packets.filter((packet: any) => packet.stream_index === index).map(({ pts_time }: any) => Number(pts_time));
}
