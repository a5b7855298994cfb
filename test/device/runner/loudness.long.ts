/** How loud a source leaves, by ffmpeg's meter of EBU R 128: neither more nor less than it came, whatever its channels. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { audioFilter } from '../../../device/media/arguments/ingest-filters.ts';
import { folder, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, output, QUICK, rendition, runSpec } from './specs.ts';
import { rendered } from './viewing.ts';
import type { TestScope } from '../../helpers/clean-up.ts';

const tone = (layout: string, weights: string, db = 8, rate = 48_000): string =>
  `sine=frequency=1000:sample_rate=${rate},volume=${db}dB,pan=${layout}|${weights}`;
const SOURCES: Record<string, [graph: string, coding: string[]]> = {
  '5.1 in AC-3, centre': [tone('5.1(side)', 'FL=0*c0|FR=0*c0|FC=c0|LFE=0*c0|SL=0*c0|SR=0*c0'), ['-c:a', 'ac3']],
  '5.1 in AAC, left and right': [tone('5.1', 'FL=c0|FR=c0|FC=0*c0|LFE=0*c0|BL=0*c0|BR=0*c0'), ['-c:a', 'aac']],
  stereo: [tone('stereo', 'FL=c0|FR=c0'), ['-c:a', 'aac']],
  mono: [tone('mono', 'c0=c0', 8, 44_100), ['-c:a', 'aac']],
};

interface Meter {
  lufs: number;
  peak: number;
}

function measured(...input: string[]): Meter {
  const args = ['-hide_banner', '-nostats', ...input, '-af', 'ebur128=peak=true', '-f', 'null', '-'];
  const { stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8' });
  const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
  const figure = (name: string): number => Number(new RegExp(`${name}:\\s+(-?[\\d.]+)`, 'u').exec(summary)?.[1]);
  return { lufs: figure('I'), peak: figure('Peak') };
}

function make(dir: string, graph: string, coding: string[]): string {
  const path = join(dir, 'tone.mka');
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', graph, '-t', '8', ...coding, '-b:a', '256k', path]);
  return path;
}

async function streamed(t: TestScope, path: string): Promise<string> {
  const dir = folder(t);
  const renditions = [{ ...rendition(11, 320, 180, 300), video: null }];
  startRunner(t, dir, runSpec('loud', fileSource(path), [output(21, 'HLS / TS', QUICK.output)], { renditions }));
  const paths = await until('six segments', () => {
    try {
      return rendered(dir).length >= 6 && rendered(dir);
    } catch {
      return false;
    }
  });
  const whole = join(dir, 'whole.ts');
  // The encoder's first frames fade in.
  writeFileSync(whole, Buffer.concat(paths.slice(1).map((one) => readFileSync(one))));
  return whole;
}

function assertAsLoud(before: string, after: string[], what: string): void {
  const [was, is] = [measured('-i', before).lufs, measured(...after).lufs];
  assert.ok(Math.abs(is - was) <= 0.5, `${what}: ${was} LUFS became ${is}`);
}

test('every channel layout is as loud as it came, in the stream and in what the ingest takes', async (t) => {
  for (const [name, [graph, coding]] of Object.entries(SOURCES)) {
    const dir = folder(t);
    const path = make(dir, graph, coding);
    assertAsLoud(path, mixed(dir, graph.includes('5.1'), path), name);
    if (name.includes('AC-3')) assertAsLoud(path, ['-i', await streamed(t, path)], `${name}, streamed`);
  }
});

/** The sound after the ingest. */
function mixed(dir: string, surround: boolean, from: string): string[] {
  const raw = join(dir, 'mixed.wav');
  const filter = audioFilter(surround, 2);
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', from, '-af', filter, '-c:a', 'pcm_s16le', raw]);
  return ['-i', raw];
}

test('the sum of all channels stays below -1 dBTP, and a beep stays where it was', (t) => {
  const dir = folder(t);
  const loud = tone('5.1', 'FL=c0|FR=c0|FC=c0|LFE=0*c0|BL=c0|BR=c0', 17);
  const path = make(dir, loud, ['-c:a', 'flac']);
  assert.ok(measured(...mixed(dir, false, path)).peak > -0.5, 'without the limiter');
  assert.ok(measured(...mixed(dir, true, path)).peak <= -0.9);
  const beep = make(dir, `aevalsrc='if(gt(t,2),0.3*sin(2000*PI*t),0)':s=48000,pan=5.1|FL=c0|FR=c0|FC=c0`, [
    '-c:a',
    'flac',
  ]);
  const detect = ['-af', 'silencedetect=noise=-40dB:duration=0.5', '-f', 'null', '-'];
  const { stderr } = spawnSync('ffmpeg', ['-hide_banner', ...mixed(dir, true, beep), ...detect], { encoding: 'utf8' });
  const at = Number(/silence_end: ([\d.]+)/u.exec(stderr)?.[1]);
  assert.ok(Math.abs(at - 2) < 0.002, String(at));
});
