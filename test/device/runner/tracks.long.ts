/** Sound with its pictures, by flash and beep, for each of two tracks, as viewers get them over HLS/TS, CMAF and DASH. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { liveDir } from '../../../device/run-dir.ts';
import { flowOf, soundOffsets, timelineOf } from '../../helpers/counted.ts';
import { makeTracksClip, pitchOf, TRACKS } from '../../helpers/tracks.ts';
import { until } from '../../helpers/until.ts';
import { joined } from './captioned-run.ts';
import { CMAF, DASH, TS } from './player-ways.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

const PICTURES = 900;
const SEGMENTS = 45;
/** Numbers of the source's tracks. */
const CHOSEN = [0, 2] as const;

interface Timed {
  path: string;
  /** Time of the track that is time 0 to viewers. */
  originSeconds: number;
}

/** Joins pictures and sound of two files on the time that players give them. */
function together(picture: Timed, sound: Timed, target: string): string {
  const input = ({ path, originSeconds }: Timed): string[] => ['-itsoffset', String(-originSeconds), '-i', path];
  const args = ['-v', 'error', '-y', '-copyts', ...input(picture), ...input(sound)];
  execFileSync('ffmpeg', [...args, '-map', '0:v:0', '-map', '1:a:0', '-c', 'copy', target]);
  return target;
}

/** Folder and origin of each track in the manifest; the first is the video. */
function manifested(dir: string, id: number): { folder: string; originSeconds: number }[] {
  const mpd = readFileSync(join(liveDir(dir, LIVESTREAM_ID, id), 'manifest.mpd'), 'utf8');
  assert.equal(mpd.match(/<Period /gu)?.length, 1);
  return [...mpd.matchAll(/<AdaptationSet .*?<\/AdaptationSet>/gsu)].map(([set]) => {
    const [, timescale, offset] = /timescale="(\d+)" presentationTimeOffset="(\d+)"/u.exec(set)!;
    const [, name] = /media="([^/"]+)\//u.exec(set)!;
    const [, listed] = /<S t="(\d+)"/u.exec(set)!;
    const path = joined(dir, id, name!, join(dir, `${id}-${name}.mp4`));
    const show = ['-v', 'error', '-show_entries', 'packet=pts_time', '-read_intervals', '%+#1', '-of', 'csv=p=0', path];
    const first = Number.parseFloat(execFileSync('ffprobe', show, { encoding: 'utf8' }));
    // Segments that have left the list are kept a while.
    assert.ok(
      Number(listed) / Number(timescale) >= first - 0.1,
      `${name}: listed from ${listed}, media from ${first} s`,
    );
    return { folder: name!, originSeconds: Number(offset) / Number(timescale) };
  });
}

test('each of two tracks is within 45 ms of its pictures in HLS/TS, CMAF and DASH', async (t) => {
  const dir = folder(t);
  const clip = makeTracksClip(join(dir, 'tracks.mp4'), PICTURES);
  const long = { playlist_length: 120 };
  const outputs = [output(TS, 'HLS / TS', long), output(CMAF, 'CMAF', long), output(DASH, 'DASH', long)];
  const audio = CHOSEN.map((track) => ({
    track,
    language: TRACKS[track].language,
    name: null,
    default: track === 0,
  }));
  const sound = { gain_db: 0, mute: false, delay_ms: 0 };
  const renditions = [rendition(11, 320, 180, 400)];
  const runner = startRunner(t, dir, runSpec('sync', fileSource(clip), outputs, { audio, sound, renditions }));
  await running(runner);
  const count = (): number => readdirSync(join(liveDir(dir, LIVESTREAM_ID, TS), '11')).length;
  await until(`${SEGMENTS} segments`, () => count() >= SEGMENTS);
  await runner.stop();
  assert.equal(await runner.exited, 0);

  const bare = (id: number, name: string): Timed => {
    return { path: joined(dir, id, name, join(dir, `${id}-${name}.${id === TS ? 'ts' : 'mp4'}`)), originSeconds: 0 };
  };
  const fromManifest = (id: number): [what: string, picture: Timed, sounds: Timed[]] => {
    const [picture, ...sounds] = manifested(dir, id)
      .filter(({ folder: name }) => !name.startsWith('text'))
      .map(({ folder: name, originSeconds }) => ({ ...bare(id, name), originSeconds }));
    return [`${id} by its manifest`, picture!, sounds];
  };
  const presented: [what: string, picture: Timed, sounds: Timed[]][] = [
    ['HLS / TS', bare(TS, '11'), ['sound-257', 'sound-258'].map((name) => bare(TS, name))],
    ['CMAF by its playlists', bare(CMAF, '256'), ['257', '258'].map((name) => bare(CMAF, name))],
    fromManifest(CMAF),
    fromManifest(DASH),
  ];
  for (const [what, picture, sounds] of presented) {
    assert.equal(sounds.length, CHOSEN.length, what);
    for (const [i, own] of sounds.entries()) {
      const path = together(picture, own, join(dir, 'together.mkv'));
      assert.equal(pitchOf(path, 0), TRACKS[CHOSEN[i]!].pitch, what);
      const timeline = timelineOf(path);
      const offsets = soundOffsets(timeline).map((seconds) => seconds * 1000);
      const [least, most] = [Math.min(...offsets), Math.max(...offsets)];
      t.diagnostic(
        `${what}, track ${CHOSEN[i]}: ${offsets.length} beeps, ${least.toFixed(1)} to ${most.toFixed(1)} ms`,
      );
      assert.ok(offsets.length >= 20, `${what}: ${offsets.length} beeps`);
      for (const offset of offsets) assert.ok(Math.abs(offset) <= 45, `${what}: ${offset} ms`);
      assert.equal(flowOf(timeline.pictures, PICTURES).missing, 0, what);
    }
  }
});
