/** A killed runner leaves a segment that it had not ended: its successor lists it up to the last keyframe that all renditions have. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { HlsOutput } from '../../../device/runner/outputs/segments/hls-output.ts';
import { EncodedStream } from '../../../device/runner/stream/encoded-stream.ts';
import { HLS } from '../../helpers/hls.ts';
import { folder } from './runner-fixture.ts';
import { rendition } from './specs.ts';

const FOLDERS = ['11', '12', '13'];
/** 188 bytes that tell what they are of. */
const packet = (text: string): Buffer => Buffer.from(text.padEnd(188, '.'));

function scene(t: TestContext) {
  const dir = join(folder(t), 'live');
  const plan = planLadder([
    rendition(11, 640, 360, 800),
    rendition(12, 320, 180, 300),
    { ...rendition(13, 2, 2, 2), video: null },
  ]);
  const { renditions } = plan;
  const [large, small, sound] = [renditions[0]!.video!.pid, renditions[1]!.video!.pid, renditions[2]!.audio!.pid];
  const open = (runId = 'aaaaaaaa-1'): HlsOutput => {
    const options = { dir, runId, segmentSeconds: 6, playlistLength: 9, timeShiftSeconds: null, renditions };
    const hooks = { onUp: () => undefined, onDown: (reason: string) => assert.fail(reason) };
    const stream = new EncodedStream(plan);
    return new HlsOutput(options, plan, stream, stream.media.packets!, hooks);
  };
  const unit = (output: HlsOutput, pid: number, seconds: number): void =>
    output.write({
      pid,
      bytes: packet(`${pid} at ${seconds.toFixed(2)}`),
      starts: true,
      key: true,
      pts: Math.round(seconds * 90_000),
    });
  const second = (output: HlsOutput, at: number, pids = [large, small]): void => {
    for (const pid of pids) unit(output, pid, at);
    for (let part = 0; part < 50; part += 1) unit(output, sound, at + part / 50);
  };
  /** Lengths in seconds of the first rendition's segments, and whether each begins anew. */
  const listed = (name: string): unknown[] => {
    const { segments } = HLS.parse(readFileSync(join(dir, name, 'index.m3u8'), 'utf8')) as HLS.types.MediaPlaylist;
    return segments.map(({ duration, discontinuity }) => [Math.round(duration), discontinuity === true]);
  };
  const has = (name: string, sequence: number, pid: number, at: number): boolean =>
    readFileSync(join(dir, name, `${sequence}-aaaaaaaa.ts`), 'latin1').includes(`${pid} at ${at.toFixed(2)}.`);
  const hidden = (): string[] => FOLDERS.flatMap((name) => readdirSync(join(dir, name))).filter(isHidden);
  return { dir, open, second, listed, has, hidden, large, small, sound };
}

const isHidden = (name: string): boolean => name.endsWith('.tmp');

test('a successor lists what is there of the open segment, and goes on behind a break', async (t) => {
  const { open, second, listed, has, hidden, large, small, sound } = scene(t);
  const killed = open();
  for (const at of [10, 11, 12, 13, 14]) second(killed, at);
  // One rendition has come to a keyframe that another has not.
  second(killed, 15, [large]);
  const successor = open();
  for (const at of [20, 21, 22]) second(successor, at);
  assert.deepEqual(listed('11'), [
    [1, false],
    [3, false],
    [1, true],
  ]);
  await successor.end();
  assert.deepEqual(listed('12'), listed('11'));
  assert.deepEqual(
    (listed('13') as [number, boolean][]).map(([, isAnew]) => isAnew),
    [false, false, true, false],
  );
  assert.ok(has('11', 1, large, 13) && !has('11', 1, large, 14));
  assert.ok(has('12', 1, small, 13) && !has('12', 1, small, 14));
  assert.ok(has('13', 1, sound, 13.98) && !has('13', 1, sound, 14));
  assert.deepEqual(hidden(), []);
});

test('an open segment that is not there whole, or is of another run, is left out', (t) => {
  const { dir, open, second, listed, hidden } = scene(t);
  const killed = open();
  for (const at of [10, 11, 12, 13]) second(killed, at);
  const [name] = readdirSync(join(dir, '13')).filter(isHidden);
  truncateSync(join(dir, '13', name!), 200);
  const successor = open();
  assert.deepEqual([hidden(), listed('11')], [[], [[1, false]]]);
  for (const at of [20, 21, 22]) second(successor, at);
  assert.equal(hidden().length, FOLDERS.length);
  open('bbbbbbbb-2');
  assert.deepEqual(
    FOLDERS.flatMap((each) => readdirSync(join(dir, each))),
    [],
  );
});
