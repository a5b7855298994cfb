/** Parts of the runner that need no process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HLS } from '../../helpers/hls.ts';
import type { AttemptHooks } from '../../../device/runner/outputs/attempt.ts';
import { DestinationPath } from '../../../device/runner/outputs/destination-path.ts';
import { EventLog } from '../../../device/runner/process/event-log.ts';
import { EncodedStream } from '../../../device/runner/stream/encoded-stream.ts';
import { HlsFolder } from '../../../device/runner/outputs/segments/hls-folder.ts';
import { HlsOutput } from '../../../device/runner/outputs/segments/hls-output.ts';
import { SegmentCutter, type CutSegment } from '../../../device/runner/outputs/segments/segment-cutter.ts';
import { ProgressReader } from '../../../device/media/ffmpeg-output/progress.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { folder } from './runner-fixture.ts';
import { rendition } from './specs.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const RUN = { runId: 'run-1', livestreamId: 7 };
const same = (text: string): string => text;

test('event numbers go on after a restart, and a half-written line loses that one event alone', (t) => {
  const path = join(folder(t), 'events.jsonl');
  const first = new EventLog(path, RUN, new FakeClock(), (text) => text.replaceAll('secret', '****'));
  first.add('started', 'info', 'with a secret', { url: 'x secret y', deep: { list: ['secret'] } });
  first.add('source_lost', 'warning', 'gone');
  appendFileSync(path, '{"runId":"run-1","seq":3,"ki');
  const second = new EventLog(path, RUN, new FakeClock(), same);
  assert.deepEqual(
    second.earlier.map(({ seq }) => seq),
    [1, 2],
  );
  second.add('source_restored', 'info', 'back');
  const lines = readFileSync(path, 'utf8').split('\n');
  assert.ok(!lines[0]!.includes('secret'));
  assert.equal((JSON.parse(lines[3]!) as { seq: number }).seq, 3);
});

test('a path tries again with growing pauses, and fails when its attempts are spent', async (t) => {
  const clock = new FakeClock();
  const dir = testFolder(t, 'path');
  const events = new EventLog(join(dir, 'e.jsonl'), RUN, clock, same);
  const begun: AttemptHooks[] = [];
  let ended = 0;
  const begin = (hooks: AttemptHooks) => {
    begun.push(hooks);
    return { end: async () => void (ended += 1) };
  };
  const retry = { max_attempts: 3, initial_delay_ms: 1000, max_delay_ms: 60_000 };
  const path = new DestinationPath(
    { name: 'X', publishingId: 1, which: 'primary', enabled: true, retry, begin, onChange: () => undefined },
    events,
    clock,
  );
  const { status } = path;
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  path.start();
  assert.equal(status.state, 'connecting');
  assert.equal(status.down_since, status.since, 'it has never been up');
  begun[0]!.onUp();
  assert.deepEqual([status.state, status.down_since], ['up', null]);
  clock.advance(60_000);
  begun[0]!.onDown('gone');
  begun[0]!.onDown('gone twice');
  await settle();
  assert.deepEqual([status.state, status.attempts, status.last_error, ended], ['retrying', 1, 'gone', 1]);
  assert.ok(status.next_retry_at !== null);
  const lostAt = status.since;
  for (const attempt of [2, 3]) {
    clock.advance(5000);
    assert.equal(status.state, 'connecting');
    begun.at(-1)!.onDown(`refused ${attempt}`, false, attempt === 2);
    await settle();
    assert.deepEqual([status.state, status.attempts], ['retrying', attempt]);
    assert.deepEqual([status.down_since, status.refused], [lostAt, attempt === 2], 'one outage has one beginning');
    assert.notEqual(status.since, lostAt);
  }
  clock.advance(5000);
  begun.at(-1)!.onUp();
  assert.equal(status.down_since, null);
  begun.at(-1)!.onDown('refused for good');
  await settle();
  assert.deepEqual([status.state, status.next_retry_at, begun.length], ['failed', null, 4]);
  begun[0]!.onUp();
  assert.equal(status.state, 'failed', 'an attempt that is over has no say');
  const brokenAt = status.down_since;
  assert.ok(brokenAt !== null);
  for (const from of ['failed', 'connecting']) {
    assert.equal(status.state, from);
    void path.renew();
    await settle();
    assert.deepEqual([status.state, status.down_since], ['connecting', brokenAt], 'new settings do not end an outage');
  }
  const lines = readFileSync(join(dir, 'e.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; message: string });
  assert.deepEqual(
    lines.map(({ kind, message }) => [kind, message.replace(/^Destination "[^"]*" /u, '')]),
    [
      ['destination_up', 'takes the stream.'],
      ['destination_down', 'is lost and is tried again: gone'],
      // The third attempt has nothing new to say.
      ['destination_retrying', 'is not reached and is tried again: refused 2'],
      ['destination_up', 'takes the stream after 3 failed attempts.'],
      ['destination_down', 'is lost: refused for good'],
      ['destination_failed', 'has failed after 3 attempts: refused for good'],
    ],
  );
});

test('progress is read in blocks, however it is cut', () => {
  const seen: { outSeconds: number; speed: number; totalBytes: number }[] = [];
  const reader = new ProgressReader((progress) => seen.push(progress));
  const text =
    'frame=30\nfps=29.9\ntotal_size=1234\nout_time_us=1000000\nspeed=0.98x\nprogress=continue\nframe=60\nspeed=N/A\nprogress=end\n';
  for (const piece of text.match(/.{1,7}/gsu)!) reader.push(Buffer.from(piece));
  assert.deepEqual(
    seen.map(({ outSeconds, speed, totalBytes }) => [outSeconds, speed, totalBytes]),
    [
      [1, 0.98, 1234],
      [0, 0, 0],
    ],
  );
});

test('segments end at keyframes: a short one is first, and none is too long when an encoder begins off the grid', () => {
  const [plan] = planLadder([rendition(11, 320, 180, 300)]).renditions;
  const segments: CutSegment[] = [];
  const rule = { segmentSeconds: 6, firstSeconds: 2, keyframeSeconds: 2 };
  const cutter = new SegmentCutter(plan!, rule, new Map(), {
    onSegment: (segment) => segments.push(segment),
    onBoundary: () => undefined,
    onDropped: () => undefined,
  });
  const key = (seconds: number): void =>
    cutter.write({ pid: plan!.video!.pid, bytes: Buffer.alloc(188), starts: true, key: true, pts: seconds * 90_000 });
  for (const at of [10, 12, 14, 16, 18, 20, 21.3, 23.3, 25.3, 27.3, 29.3]) key(at);
  assert.deepEqual(
    segments.map(({ seconds }) => Number(seconds.toFixed(3))),
    [2, 6, 5.3, 6],
  );
});

test('sound that follows a picture is cut where the picture is', () => {
  const ladder = planLadder([rendition(11, 320, 180, 300), { ...rendition(12, 2, 2, 2), video: null }]);
  const [picture, sound] = ladder.renditions;
  const lengths: number[] = [];
  const rule = { segmentSeconds: 2, firstSeconds: 1, keyframeSeconds: 1 };
  const follower = new SegmentCutter(sound!, { ...rule, follows: true }, new Map(), {
    onSegment: ({ seconds }) => lengths.push(seconds),
    onBoundary: () => undefined,
    onDropped: () => undefined,
  });
  const leader = new SegmentCutter(picture!, rule, new Map(), {
    onSegment: () => undefined,
    onBoundary: (ticks, isCut) => follower.cutAt(ticks, isCut),
    onDropped: () => undefined,
  });
  const unit = (pid: number, pts: number) => ({ pid, bytes: Buffer.alloc(188), starts: true, key: true, pts });
  let key = 0;
  for (let frame = 0; frame * 1920 < 200 * 90_000; frame += 1) {
    for (; key * 90_000 <= frame * 1920; key += 1) leader.write(unit(picture!.video!.pid, key * 90_000));
    follower.write(unit(sound!.audio!.pid, frame * 1920));
  }
  const total = lengths.reduce((sum, seconds) => sum + seconds, 0);
  assert.ok(Math.abs(total - (1 + 2 * (lengths.length - 1))) < 0.03, 'no drift over 100 segments');
});

test('a segment without an end is given up in all renditions, which go on together at the next keyframe', async (t) => {
  const dir = join(folder(t), 'live');
  const plan = planLadder([
    rendition(11, 640, 360, 800),
    rendition(12, 320, 180, 300),
    { ...rendition(13, 2, 2, 2), video: null },
  ]);
  const { renditions } = plan;
  const options = {
    dir,
    runId: 'aaaaaaaa-1',
    segmentSeconds: 1,
    playlistLength: 9,
    timeShiftSeconds: null,
    renditions,
  };
  const hooks = { onUp: () => undefined, onDown: (reason: string) => assert.fail(reason) };
  const stream = new EncodedStream(plan);
  const output = new HlsOutput(options, plan, stream, stream.media.packets!, hooks);
  const [large, small, sound] = [renditions[0]!.video!.pid, renditions[1]!.video!.pid, renditions[2]!.audio!.pid];
  const unit = (pid: number, seconds: number, key = true, bytes = Buffer.alloc(188)): void =>
    output.write({ pid, bytes, starts: true, key, pts: Math.round(seconds * 90_000) });
  const second = (at: number): void => {
    for (const pid of [large, small]) unit(pid, at);
    for (let part = 0; part < 50; part += 1) unit(sound, at + part / 50);
  };
  for (const at of [10, 11, 12]) second(at);
  // The picture stops between the keyframes of two renditions; the sound goes on for more than there is room for.
  unit(large, 13);
  const much = Buffer.alloc(188 << 10);
  for (let piece = 0; piece < 540; piece += 1) unit(sound, 13 + piece / 50, true, much);
  unit(small, 13);
  for (const at of [14, 15, 16, 17]) second(at);
  await output.end();

  const listed = [11, 12, 13].map((id) => {
    const { segments } = HLS.parse(readFileSync(join(dir, `${id}/index.m3u8`), 'utf8')) as HLS.types.MediaPlaylist;
    return segments.map(({ uri, discontinuity, duration }) => {
      const { length } = readFileSync(join(dir, String(id), uri));
      assert.ok(length < 100_000, `${length} bytes`);
      return [discontinuity === true, Math.round(duration)];
    });
  });
  const whole = [false, 1];
  assert.deepEqual(listed[0]!.slice(0, 5), [whole, whole, [true, 1], whole, whole]);
  assert.deepEqual(listed[1], listed[0]);
  assert.deepEqual(
    listed[2]!.map(([seam]) => seam),
    listed[0]!.map(([seam]) => seam),
  );
});

test('the folder of a run goes on with the next number, or begins clean for another run', (t) => {
  const dir = join(folder(t), 'live');
  const names = ['1', '2'];
  const open = (runId: string, firstNumber?: number): HlsFolder =>
    new HlsFolder({ dir, runId, names, playlistLength: 3, targetSeconds: 2, firstNumber });
  const add = (to: HlsFolder, discontinuity = false): void => {
    const parts = new Map(names.map((id) => [id, [Buffer.from('segment '), Buffer.from(id)]]));
    to.append(parts, { 1: 2, 2: 2 }, { programDateTime: '2026-01-01T00:00:00.000Z', discontinuity });
  };
  const playlist = () => HLS.parse(readFileSync(join(dir, '1/index.m3u8'), 'utf8')) as HLS.types.MediaPlaylist;
  const first = open('aaaaaaaa-1');
  for (let i = 0; i < 9; i += 1) add(first);
  assert.deepEqual(
    playlist().segments.map(({ uri }) => Number.parseInt(uri, 10)),
    [6, 7, 8],
  );
  const kept = readdirSync(join(dir, '1'))
    .map((name) => Number.parseInt(name, 10))
    .filter((n) => !Number.isNaN(n));
  assert.deepEqual(
    kept.sort((a, b) => a - b),
    [3, 4, 5, 6, 7, 8],
    'as many again stay for slow players',
  );
  // Written by a runner that was killed before the playlist named it.
  writeFileSync(join(dir, '2/9-aaaaaaaa.ts'), 'half');
  const second = open('aaaaaaaa-1');
  assert.ok(second.isContinued);
  assert.ok(!existsSync(join(dir, '2/9-aaaaaaaa.ts')));
  add(second, true);
  assert.deepEqual(
    playlist().segments.map(({ discontinuity }) => discontinuity === true),
    [false, false, true],
  );
  for (let i = 0; i < 3; i += 1) add(second);
  assert.deepEqual([playlist().mediaSequenceBase, playlist().discontinuitySequenceBase], [10, 1]);
  const other = open('bbbbbbbb-2');
  assert.ok(!other.isContinued);
  assert.deepEqual(readdirSync(join(dir, '1')), []);
  const elsewhere = open('cccccccc-3', 300);
  assert.ok(!elsewhere.isContinued, 'it has no segments of its own yet');
  add(elsewhere);
  assert.deepEqual([playlist().mediaSequenceBase, playlist().discontinuitySequenceBase], [300, 300]);
  assert.equal(playlist().segments[0]!.uri, '300-cccccccc.ts');
});
