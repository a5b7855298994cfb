/** CMAF and DASH beside HLS / TS, as their viewers get them: over HTTP, decoded to the last frame. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HLS } from '../../helpers/hls.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { clip, commandLine, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { decodedStreams, type DecodedStream } from './decoded-streams.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { serveLive } from './web-server.ts';

const LADDER = { renditions: [rendition(11, 320, 180, 300), rendition(12, 160, 90, 100)] };
const [TS, CMAF, DASH] = [21, 31, 32];
const copied = rendition(11, 320, 180, 300, { codec: 'copy' });
const COPIED = { renditions: [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }] };

/** Its sound is of a codec that ffmpeg alone packs. */
function foreign(dir: string): string {
  const path = join(dir, 'foreign.mp4');
  const coding = ['-c:v', 'copy', '-c:a', 'ac3'];
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', clip(dir), ...coding, path]);
  return path;
}

/** PIDs of the two pictures and their sound. */
const TRACKS = ['256', '257', '258'];

/** Messages of ffmpeg about a second EXT-X-MAP, which it reads as the same file going on, and of cues and ID3, for which it has no decoder. */
const KNOWN = /Found duplicated MOOV Atom|Unsupported codec with id 983(?:05|13) /u;

/** Every stream, decoded; a complaint is a failure. */
async function decode(url: string, ...options: string[]): Promise<DecodedStream[]> {
  const { streams, complaints } = await decodedStreams(url, { options });
  assert.deepEqual(
    complaints.split('\n').filter((line) => line !== '' && !KNOWN.test(line)),
    [],
  );
  return streams;
}

function playlist(dir: string, publishingId: number, track: string): HLS.types.MediaPlaylist {
  return HLS.parse(
    readFileSync(join(liveDir(dir, LIVESTREAM_ID, publishingId), track, 'index.m3u8'), 'utf8'),
  ) as HLS.types.MediaPlaylist;
}

interface Journal {
  availabilityStartAt: string;
  nextSequence: number;
  periods: { firstSequence: number; startSeconds: number }[];
  segments: { sequence: number; seconds: number }[];
}

function journal(dir: string, publishingId: number): Journal {
  return JSON.parse(readFileSync(join(liveDir(dir, LIVESTREAM_ID, publishingId), '.journal.json'), 'utf8')) as Journal;
}

async function states(runner: TestRunner): Promise<string[]> {
  return (await runner.report()).publishings.map(({ primary }) => primary.state);
}

const allUp = async (runner: TestRunner): Promise<boolean> => (await states(runner)).every((state) => state === 'up');

function assertFrames(streams: DecodedStream[], seconds: number): void {
  const pictures = streams.filter(({ codec }) => codec === 'h264');
  assert.deepEqual(pictures.map(({ width }) => width).sort(), [160, 320]);
  for (const { frames, times } of pictures) {
    assert.equal(frames, Math.round(seconds * 30), 'every picture is there, and decoded');
    assert.equal(times.length, frames);
    for (const [i, time] of times.slice(1).entries())
      assert.ok(Math.abs(time - times[i]! - 1 / 30) < 0.002, `gap at ${time}`);
  }
  const sounds = streams.filter(({ codec }) => codec === 'aac');
  assert.ok(sounds.length > 0);
  for (const { frames } of sounds) assert.ok(Math.abs((frames * 1024) / 48_000 - seconds) < 0.06, `${frames} of sound`);
}

/**
 * Each stretch between discontinuities by itself, as players take them: ffmpeg reads a playlist as one file and loses pictures where
 * the time begins anew.
 */
async function assertPeriods(dir: string, url: string, track: string, count: number): Promise<void> {
  const base = `${url}/live/7/${CMAF}/${track}/`;
  const text = await (await fetch(`${base}index.m3u8`)).text();
  const bytes = async (uri: string): Promise<Buffer> => Buffer.from(await (await fetch(base + uri)).arrayBuffer());
  const stretches: { seconds: number; parts: Buffer[] }[] = [];
  let map = '';
  for (const segment of (HLS.parse(text) as HLS.types.MediaPlaylist).segments) {
    map = segment.map?.uri ?? map;
    if (stretches.length === 0 || segment.discontinuity === true)
      stretches.push({ seconds: 0, parts: [await bytes(map)] });
    const stretch = stretches.at(-1)!;
    stretch.seconds += segment.duration;
    stretch.parts.push(await bytes(segment.uri));
  }
  assert.equal(stretches.length, count);
  for (const { seconds, parts } of stretches) {
    const file = join(dir, 'stretch.mp4');
    writeFileSync(file, Buffer.concat(parts));
    const [{ codec, frames }] = (await decode(file)) as [DecodedStream];
    if (codec === 'h264') assert.equal(frames, Math.round(seconds * 30));
    else assert.ok(Math.abs((frames * 1024) / 48_000 - seconds) < 0.06, `${frames} frames of sound in ${seconds} s`);
  }
}

test('a packager that is killed or stops comes back, and the others do not notice', async (t) => {
  const dir = folder(t);
  const long = { playlist_length: 60 };
  const outputs = [output(TS, 'HLS / TS', long), output(CMAF, 'CMAF', long), output(DASH, 'DASH', long)];
  const runner = startRunner(t, dir, runSpec('killed', fileSource(foreign(dir)), outputs, COPIED));
  await running(runner);
  await until('all up', () => allUp(runner));
  const packagers = (): number[] =>
    runner
      .children()
      .map(({ pid }) => pid)
      .filter((pid) => commandLine(pid).includes('frag_discont'));
  await until('some segments', () => journal(dir, CMAF).nextSequence >= 3);
  assert.equal(packagers().length, 2);
  process.kill(packagers()[0]!, 'SIGKILL');
  const down = await until('it is noticed', () => runner.events().find(({ kind }) => kind === 'destination_down'));
  assert.equal(down.data.publishingId, CMAF);
  assert.match(down.message, /The packager ended/u);
  await until('it is back with a new period', async () => journal(dir, CMAF).periods.length === 2 && allUp(runner));
  const count = journal(dir, CMAF).nextSequence;
  await until('and goes on', () => journal(dir, CMAF).nextSequence >= count + 2);

  const [frozen] = packagers().filter((pid) => pid !== undefined);
  process.kill(frozen!, 'SIGSTOP');
  await until(
    'a frozen one is given up',
    () => runner.events().filter(({ kind }) => kind === 'destination_down').length === 2,
  );
  await until('all up again', () => allUp(runner));
  const lost = runner.events().filter(({ kind }) => kind === 'destination_down');
  const victims = new Set(lost.map(({ data }) => data.publishingId));
  assert.ok(!victims.has(TS));
  assert.equal(lost.length, 2, 'one each: nobody else was down');
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
  assert.ok(playlist(dir, TS, '11').segments.every(({ discontinuity }) => discontinuity !== true));
  for (const track of ['256', '257']) {
    const { segments } = playlist(dir, CMAF, track);
    const numbers = segments.map(({ uri }) => Number.parseInt(uri, 10));
    assert.deepEqual(
      numbers,
      numbers.map((_, i) => i),
    );
  }
  const { periods } = journal(dir, CMAF);
  const seams = playlist(dir, CMAF, '256').segments.flatMap(({ discontinuity }, n) => (discontinuity ? [n] : []));
  assert.deepEqual(
    seams,
    periods.slice(1).map(({ firstSequence }) => firstSequence),
  );
});

test('numbers, periods and the beginning go on after a killed runner', async (t) => {
  const dir = folder(t);
  const url = await serveLive(t, dir);
  const outputs = [output(CMAF, 'CMAF', { playlist_length: 60 }), output(DASH, 'DASH', { playlist_length: 60 })];
  const spec = runSpec('again', fileSource(clip(dir)), outputs, LADDER);
  const first = startRunner(t, dir, spec);
  await running(first);
  await until('segments', async () => (await allUp(first)) && journal(dir, DASH).nextSequence >= 3);
  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  await until('no child is left', () => first.left().length === 0);
  const before = journal(dir, DASH);
  const second = startRunner(t, dir, spec);
  await running(second);
  await until(
    'it goes on',
    async () => (await allUp(second)) && journal(dir, DASH).nextSequence > before.nextSequence + 2,
  );
  const after = journal(dir, DASH);
  assert.equal(after.availabilityStartAt, before.availabilityStartAt);
  assert.deepEqual(
    after.segments.map(({ sequence }) => sequence),
    after.segments.map((_, i) => i),
  );
  assert.deepEqual(
    after.periods.map(({ firstSequence }) => firstSequence),
    [0, before.nextSequence],
  );
  const end = before.segments.reduce((sum, { seconds }) => sum + seconds, 0);
  assert.ok(after.periods[1]!.startSeconds > end, 'the pause is a pause');
  await second.stop();
  assert.equal(await second.exited, 0);
  for (const track of TRACKS) await assertPeriods(dir, url, track, 2);
  const last = journal(dir, DASH).segments.filter(({ sequence }) => sequence >= before.nextSequence);
  // ffmpeg plays the last period of an MPD.
  assertFrames(
    await decode(`${url}/live/7/${DASH}/manifest.mpd`),
    last.reduce((sum, segment) => sum + segment.seconds, 0),
  );
});
