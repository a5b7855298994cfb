/** One run whose encoder, source and runner are killed in turn: viewers get the same numbers on, and nothing twice. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { readCurves } from '../../../device/curves/curve-reader.ts';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { COUNTED_FPS, flowOf, longestStep, makeCountedClip, numbersIn, timesIn } from '../../helpers/counted.ts';
import { HLS } from '../../helpers/hls.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import { droppedSoFar, stepsBack } from './conservation.ts';
import { commandLine, ffprobe, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { broadcast } from './screen.ts';
import { suiteScope } from './shared-scope.ts';
import { fileSource, LIVESTREAM_ID, output, QUICK, rendition, runSpec } from './specs.ts';
import { rendered } from './viewing.ts';

const PICTURES = 1500;
const [TS, RECORD, CMAF] = [21, 23, 31];
/** Pictures of the segments that were open at a kill. */
const OPEN = 2 * COUNTED_FPS;

describe('a run whose parts are killed', () => {
  const scope = suiteScope();
  let dir: string;
  let spec: RunSpec;
  let runner: TestRunner;

  const eventsOf = (kind: RunEvent['kind']): RunEvent[] => runner.events().filter((event) => event.kind === kind);
  const playlist = (id: number, track: string): HLS.types.MediaPlaylist =>
    HLS.parse(
      readFileSync(join(liveDir(dir, LIVESTREAM_ID, id), track, 'index.m3u8'), 'utf8'),
    ) as HLS.types.MediaPlaylist;
  const numbersOf = (id: number, track: string): number[] =>
    playlist(id, track).segments.map(({ uri }) => Number.parseInt(uri, 10));
  const assertWhole = (id: number, track: string): void => {
    const numbers = numbersOf(id, track);
    assert.deepEqual(
      numbers,
      numbers.map((_, i) => numbers[0]! + i),
      `no segment of ${id}/${track} is missing or there twice`,
    );
  };
  const grown = (id: number, track: string, more: number): Promise<unknown> => {
    const from = numbersOf(id, track).at(-1)!;
    return until(`${more} more segments of ${id}`, () => numbersOf(id, track).at(-1)! >= from + more);
  };
  const allUp = (): Promise<unknown> =>
    until('all up', async () => (await runner.report()).publishings.every(({ primary }) => primary.state === 'up'));
  /** The file goes on where it was: not at its beginning, and at most with what viewers had not got whole. */
  const assertGoesOn = async (before: number, segments: number): Promise<void> => {
    const numbered = (): number | undefined => numbersIn(broadcast(dir, segments)).find((n) => n !== undefined);
    // On a busy machine the slate comes first.
    const first = (await until('a picture of the file', () => numbered() !== undefined && { number: numbered()! }))
      .number;
    assert.ok(first > before - OPEN, `${first} after ${before}`);
  };
  /** The curves of the killed runner are there still, and go on; the event of its successor counts from their end. */
  const assertCurves = async (): Promise<void> => {
    const [restart] = eventsOf('encoder_restarted').filter(({ data }) => data['runner'] === true);
    const restartedAt = Math.floor(Date.parse(restart!.at) / 1000);
    const gap = restart!.data['gapSeconds'];
    assert.ok(typeof gap === 'number' && gap > 0, `${String(gap)} s`);
    const notedAt = await until('a second of the successor', async () => {
      const fromSeconds = restartedAt - 300;
      const wanted = { fromSeconds, toSeconds: restartedAt + 300, points: 600 };
      const { values } = await readCurves(dir, LIVESTREAM_ID, wanted);
      const seconds = values.paths_up.flatMap((up, index) => (up === null || up === 0 ? [] : [fromSeconds + index]));
      return seconds.at(-1)! > restartedAt ? seconds : undefined;
    });
    const before = notedAt.filter((second) => second <= restartedAt);
    assert.ok(before.length > 3, `${before.length} seconds of the killed one`);
    // The gap begins half a second after the last note of the killed one.
    const lastNoted = Date.parse(restart!.at) / 1000 - gap - 0.5;
    const isNoted = before.some((second) => lastNoted > second - 0.1 && lastNoted < second + 1.1);
    assert.ok(isNoted, `${gap} s after ${lastNoted}`);
  };
  const lastPicture = (): number => numbersIn(broadcast(dir, -1)).findLast((n) => n !== undefined)!;

  before(async () => {
    dir = folder(scope);
    const clip = makeCountedClip(join(dir, 'counted.mp4'), PICTURES);
    const source = { ...fileSource(clip), durationSeconds: PICTURES / COUNTED_FPS };
    const outputs = [
      output(TS, 'HLS / TS', QUICK.output),
      output(RECORD, 'Record'),
      output(CMAF, 'CMAF', { ...QUICK.output, segment_duration: 1 }),
    ];
    const renditions = [rendition(11, 320, 180, 500, QUICK.rendition), rendition(12, 160, 90, 100, QUICK.rendition)];
    spec = runSpec('faults', source, outputs, { renditions, startTimeoutSeconds: 60 });
    runner = startRunner(scope, dir, spec);
    await running(runner);
    await allUp();
    await until('segments', () => numbersOf(TS, '11').length >= 3);
  });

  it('no picture comes twice or too late past an encoder that is killed twice, and only those are missing that are counted', async () => {
    // The end of a terminal is no reason to go off air.
    process.kill(runner.pid, 'SIGHUP');
    for (const times of [1, 2]) {
      process.kill(runner.childNamed('libx264'), 'SIGKILL');
      await until('another encoder', () => eventsOf('encoder_restarted').length === times);
      await grown(TS, '11', 2);
    }
    const seen = broadcast(dir);
    const numbers = numbersIn(seen);
    const dropped = await droppedSoFar(runner);
    const lost = eventsOf('encoder_restarted').reduce((sum, { data }) => sum + (data.lostPictures as number), 0);
    assert.deepEqual(stepsBack(numbers, PICTURES), []);
    const { missing } = flowOf(numbers, PICTURES);
    assert.ok(missing <= lost + dropped, `${missing} missing, ${lost} lost, ${dropped} dropped`);
    assert.ok(longestStep(timesIn(seen)) < (1 + lost + dropped) / COUNTED_FPS + 0.001);
    assert.ok(playlist(TS, '11').segments.every(({ discontinuity }) => discontinuity !== true));
    assert.deepEqual(eventsOf('destination_down'), [], 'no Destination has noticed');
  });

  it('an encoder that stands still is replaced, and its event counts what was left out until its successor had caught up', async () => {
    const [before, restarts] = [await droppedSoFar(runner), eventsOf('encoder_restarted').length];
    process.kill(runner.childNamed('libx264'), 'SIGSTOP');
    const restart = await until('another encoder', () => eventsOf('encoder_restarted')[restarts]);
    await grown(TS, '11', 2);
    const { lostPictures, since, gapSeconds } = restart.data as Record<string, number>;
    // It gives nothing for 2 s, and the queue before it holds less than one.
    assert.ok(lostPictures! > COUNTED_FPS, `${lostPictures} pictures`);
    const left = (await droppedSoFar(runner)) - before;
    assert.ok(lostPictures! <= left + 2, `${lostPictures} of ${left}`);
    const toldAfter = Date.parse(restart.at) - Date.parse(String(since)) - gapSeconds! * 1000;
    assert.ok(toldAfter > -10, `the gap ends ${toldAfter} ms before it is told`);
  });

  it('a file goes on where it was after its ffmpeg is killed', async () => {
    const encoder = runner.childNamed('libx264');
    const ingest = runner.childNamed('counted.mp4');
    const [last, segments] = [lastPicture(), rendered(dir).length];
    process.kill(ingest, 'SIGKILL');
    await until('another ingest', () =>
      runner.children().some(({ pid }) => pid !== ingest && commandLine(pid).includes('counted.mp4')),
    );
    await until('its pictures', async () => (await runner.report()).source.state === 'up');
    await grown(TS, '11', 3);
    await assertGoesOn(last, segments);
    assert.equal(runner.childNamed('libx264'), encoder);
    // On a busy machine viewers get the slate meanwhile, which is told otherwise.
    const event = await until('it is told', () => eventsOf('source_gap')[0] ?? eventsOf('source_restored')[0]);
    if (event.kind === 'source_restored') return;
    assert.match(event.message, /its connection broke and was begun anew/u);
    const { breaks, seconds, since } = event.data;
    assert.deepEqual([breaks, typeof seconds, typeof since], [1, 'number', 'string']);
  });

  it('a killed runner leaves no process, and its successor goes on: numbers, events, recording, file, and changes under their ids', async () => {
    const tag = (id: string | undefined) =>
      change(runner, { type: 'cue', cue: { type: 'ID3Tag', name: 'song', value: 'Hello' } }, id);
    const tags = (): number => runner.events().filter(({ data }) => data.type === 'ID3Tag').length;
    await Promise.all([tag('a'), tag('a')]);
    assert.equal((await tag('a')).status, 200);
    assert.equal(tags(), 1, 'once, also when asked for while it is under way');
    await tag(undefined);
    await tag(undefined);
    assert.equal(tags(), 3);
    for (const _ of [1, 2])
      assert.equal((await change(runner, { type: 'cue', cue: { type: 'CueIn' } }, 'refused')).code, 'rule_violated');
    const text = { text: 'LIVE %C', position: 'Bottom', size: 36, color: '#ffffff' } as const;
    await change(runner, { type: 'picture', picture: { text } });

    const counting = (): string => readFileSync(join(runner.files.dir, 'shown-text.json'), 'utf8');
    const [onAirAt, begun] = [(await runner.report()).on_air_at, counting()];
    const picture = lastPicture();
    process.kill(runner.pid, 'SIGKILL');
    await runner.exited;
    const former = runner;
    await until('no child is left', () => former.left().length === 0);
    const last = numbersOf(TS, '11').at(-1)!;
    const segments = rendered(dir).length;
    const stored = JSON.parse(readFileSync(former.files.spec, 'utf8')) as RunSpec;
    assert.deepEqual(stored.carriedOut, ['a']);

    runner = startRunner(scope, dir, stored);
    const report = await running(runner);
    assert.deepEqual([report.on_air_at, report.runtime.text], [onAirAt, text.text]);
    await until('it goes on', () => numbersOf(TS, '11').at(-1)! > last + 2);
    assert.equal(counting(), begun, 'the chronometer goes on');
    const [seams, others] = ['11', '12'].map((track) => {
      assertWhole(TS, track);
      return playlist(TS, track).segments.flatMap(({ discontinuity, uri }) =>
        discontinuity ? [Number.parseInt(uri, 10)] : [],
      );
    });
    assert.deepEqual(seams, others, 'the renditions agree where the time line breaks');
    // One that had come to its last keyframe is ended by the successor.
    assert.ok(seams?.length === 1 && [last + 1, last + 2].includes(seams[0]!), `${seams?.join()} behind ${last}`);
    await assertGoesOn(picture, segments);
    assert.equal((await tag('a')).status, 200);
    assert.equal(tags(), 3, 'not once more');
    assert.equal(eventsOf('started').length, 1, 'a restart is no second start');
    await allUp();
    await assertCurves();
    await runner.stop();
    assert.equal(await runner.exited, 0);
    assert.deepEqual(runner.left(), []);
    const seqs = runner.events().map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      seqs.map((_, i) => i + 1),
    );
    assert.equal(eventsOf('recording_closed').filter(({ data }) => data.interrupted === true).length, 1);
    const files = readdirSync(recordingsDir(dir, LIVESTREAM_ID)).sort();
    assert.deepEqual(files, ['faults-23-1.mp4', 'faults-23-2.mp4']);
    for (const name of files)
      assert.match(
        ffprobe(join(recordingsDir(dir, LIVESTREAM_ID), name), '-show_entries', 'stream=codec_name'),
        /h264/u,
      );
  });
});
