/** Levels of every track of a broadcast, of known tones and noise, against arithmetic and against ffmpeg's ebur128 on the source itself. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TrackLevels } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { letPass } from '../../helpers/pass.ts';
import { until } from '../../helpers/until.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, output, QUICK, rendition, runSpec } from './specs.ts';

const SILENCE_DB = -100;
/** RMS of a sine of full scale. */
const RMS_DB = -3.01;
const SECONDS = 20;

interface Source {
  /** For lavfi. */
  graph: string;
  /** Peak in dBFS of a tone, a value a channel; left out for noise, whose levels change. */
  peaks?: number[];
}

const tone = (db: number, hertz = 997): string => `${(0.99999 * 10 ** (db / 20)).toFixed(6)}*sin(2*PI*${hertz}*t)`;
const tones = (layout: string, ...levels: number[]): Source => {
  const each = levels.map((db) => (db === SILENCE_DB ? '0' : tone(db)));
  return { graph: `aevalsrc='${each.join('|')}':s=48000:c=${layout}`, peaks: levels };
};
const noise = (layout: string, weights: string): Source => {
  return { graph: `anoisesrc=color=pink:amplitude=0.3:sample_rate=48000:seed=7,pan=${layout}|${weights}` };
};
const STEREO = [
  tones('stereo', 0, 0),
  tones('stereo', -20, SILENCE_DB),
  tones('stereo', -6, -40),
  tones('mono', -12),
  noise('stereo', 'c0=c0|c1=0.5*c0'),
];
const SURROUND = [
  tones('5.1', -20, -23, -17, -14, -26, -29),
  noise('5.1', 'c0=c0|c1=0.5*c0|c2=0.7*c0|c3=c0|c4=0.4*c0|c5=0.6*c0'),
  tones('stereo', -20, -30),
  tones('mono', -12),
];

function near(actual: number | null, wanted: number, tolerance: number, what: string): number {
  const off = (actual ?? NaN) - wanted;
  assert.ok(Math.abs(off) <= tolerance, `${what}: ${actual}, wanted ${wanted} ± ${tolerance}`);
  return off;
}

interface Loudness {
  momentary: number;
  shortTerm: number;
  integrated: number;
}

/** Reads ebur128 at the end of a track. */
function metered(path: string, track: number): Loudness {
  const args = ['-hide_banner', '-nostats', '-i', path, '-map', `0:a:${track}`, '-af', 'ebur128', '-f', 'null', '-'];
  const { stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8', maxBuffer: 64 << 20 });
  const [, momentary, shortTerm] = [...stderr.matchAll(/M:\s*(-?[\d.]+) S:\s*(-?[\d.]+)/gu)].at(-1)!;
  const integrated = /Integrated loudness:\s+I:\s+(-?[\d.]+) LUFS/u.exec(stderr)![1];
  return { momentary: Number(momentary), shortTerm: Number(shortTerm), integrated: Number(integrated) };
}

/** The levels that a run reports of these tracks, once all of a file has been heard. */
async function reported(t: TestScope, sources: readonly Source[], channels: 2 | 6): Promise<[TrackLevels[], string]> {
  const dir = folder(t);
  const path = join(dir, 'levels.mkv');
  const length = ['-t', String(SECONDS)];
  execFileSync('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', ...length, '-i', 'testsrc2=s=160x90:r=30'],
    ...sources.flatMap(({ graph }) => ['-f', 'lavfi', ...length, '-i', graph]),
    ...['-map', '0:v', ...sources.flatMap((_, i) => ['-map', `${i + 1}:a`]), '-c:a', 'flac'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p', path],
  ]);
  const plain = rendition(11, 160, 90, 200);
  const renditions = [{ ...plain, audio: { ...plain.audio!, channels } }];
  const outputs = [output(21, 'HLS / TS', QUICK.output)];
  const runner = startRunner(t, dir, runSpec('levels', fileSource(path), outputs, { renditions }));
  await running(runner);
  // So that the meters have heard nearly all of it.
  await letPass((SECONDS - 3) * 1000);
  const levels = await until('levels of each track, once they have been heard', async () => {
    const { source } = await runner.report();
    return source.levels?.length === sources.length && source.levels;
  });
  return [levels, path];
}

async function assertLevels(t: TestScope, sources: readonly Source[], channels: 2 | 6): Promise<void> {
  const [levels, path] = await reported(t, sources, channels);
  for (const [i, { peaks }] of sources.entries()) {
    const { track, peak_dbfs, rms_dbfs, momentary_lufs, short_term_lufs, integrated_lufs } = levels[i]!;
    assert.equal(track, i);
    const wanted = metered(path, i);
    const what = `track ${i}`;
    const offs = [near(integrated_lufs, wanted.integrated, 0.2, `${what}, integrated`)];
    if (peaks !== undefined) {
      offs.push(near(momentary_lufs, wanted.momentary, 0.2, `${what}, momentary`));
      offs.push(near(short_term_lufs, wanted.shortTerm, 0.2, `${what}, short-term`));
      t.diagnostic(`${what}: peak ${peak_dbfs.join(', ')} dBFS, RMS ${rms_dbfs.join(', ')} dBFS`);
      assert.equal(peak_dbfs.length, peaks.length, what);
      for (const [channel, peak] of peaks.entries()) {
        near(peak_dbfs[channel]!, peak, 0.5, `${what}, peak of channel ${channel}`);
        const rms = peak === SILENCE_DB ? peak : peak + RMS_DB;
        near(rms_dbfs[channel]!, rms, 0.5, `${what}, RMS of channel ${channel}`);
      }
    }
    t.diagnostic(`${what}: ${integrated_lufs} LUFS; less ebur128 ${offs.map((off) => off.toFixed(2)).join(', ')} LU`);
  }
}

test('tones and noise of known level are read back of each of five tracks, a sine of full scale with an RMS of -3.01', (t) =>
  assertLevels(t, STEREO, 2));

test('tones and noise of known level are read back of each channel of 5.1, and of stereo and mono beside it', (t) =>
  assertLevels(t, SURROUND, 6));
