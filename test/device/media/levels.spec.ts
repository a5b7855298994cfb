/** Levels and loudness of known tones and noise, against arithmetic and against ffmpeg's ebur128. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { LevelMeter } from '../../../device/media/sound/level-meter.ts';

const RATE = 48_000;

/** Sound that ffmpeg makes, as the runner gets it, and what ebur128 says of it. */
function made(source: string, channels = 2): { samples: Int16Array; summary: string } {
  const args = ['-hide_banner', '-nostats', '-f', 'lavfi', '-i', source, '-ac', String(channels), '-ar', String(RATE)];
  const pcm = execFileSync('ffmpeg', [...args, '-f', 's16le', '-c:a', 'pcm_s16le', '-'], {
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const raw = ['-hide_banner', '-nostats', '-f', 's16le', '-ac', String(channels), '-ar', String(RATE), '-i', '-'];
  const layout = channels === 6 ? ['-af', 'aformat=channel_layouts=5.1,ebur128'] : ['-af', 'ebur128'];
  const shown = execFileSync('/bin/sh', ['-c', `ffmpeg "$@" 2>&1`, 'sh', ...raw, ...layout, '-f', 'null', '-'], {
    input: pcm,
    maxBuffer: 1 << 28,
  });
  return { samples: new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length >> 1), summary: shown.toString() };
}

function metered(samples: Int16Array, channels = 2): LevelMeter {
  const meter = new LevelMeter(0, channels);
  // The sizes of a pipe's pieces are any.
  for (let at = 0; at < samples.length; at += 7001) meter.add(samples.subarray(at, at + 7001));
  return meter;
}

const near = (actual: number | null, wanted: number, tolerance: number, what: string): void =>
  assert.ok(
    actual !== null && Math.abs(actual - wanted) <= tolerance,
    `${what}: ${actual}, wanted ${wanted} ± ${tolerance}`,
  );

describe('levels of a source', () => {
  it('a sine of full scale has a peak of 0 dBFS and an RMS of -3.01', () => {
    const samples = Int16Array.from({ length: RATE * 4 }, (_, n) =>
      Math.round(32_767 * Math.sin((2 * Math.PI * 997 * (n >> 1)) / RATE)),
    );
    const { peak_dbfs, rms_dbfs, track } = metered(samples).levels;
    assert.equal(track, 0);
    for (const channel of [0, 1]) {
      near(peak_dbfs[channel]!, 0, 0.1, 'peak');
      near(rms_dbfs[channel]!, -3.01, 0.1, 'RMS');
    }
  });

  for (const db of [-6, -20, -40])
    it(`a tone of ${db} dBFS on the left alone is read back there, and silence on the right`, () => {
      const top = 32_768 * 10 ** (db / 20);
      const samples = Int16Array.from({ length: RATE * 4 }, (_, n) =>
        n % 2 === 0 ? Math.round(top * Math.sin((2 * Math.PI * 440 * (n >> 1)) / RATE)) : 0,
      );
      const { peak_dbfs, rms_dbfs } = metered(samples).levels;
      near(peak_dbfs[0]!, db, 0.5, 'peak');
      near(rms_dbfs[0]!, db - 3.01, 0.5, 'RMS');
      assert.deepEqual([peak_dbfs[1], rms_dbfs[1]], [-100, -100]);
    });

  it('silence has no loudness, and the peak forgets what is more than a second old', () => {
    const loud = new Int16Array(RATE * 2).fill(16_384);
    const meter = metered(loud);
    near(meter.levels.peak_dbfs[0]!, -6, 0.1, 'peak');
    meter.add(new Int16Array(RATE * 2 * 4));
    const { peak_dbfs, momentary_lufs } = meter.levels;
    assert.deepEqual(peak_dbfs, [-100, -100]);
    assert.ok(momentary_lufs === null || momentary_lufs <= -100);
  });

  for (const [name, source, channels] of [
    ['a tone of -23 dBFS', 'sine=frequency=1000:duration=8:sample_rate=48000,volume=-2.0dB', 2],
    [
      'pink noise with a quiet third',
      "anoisesrc=color=pink:duration=9:sample_rate=48000:seed=3,volume='if(lt(t,3),0.02,0.3)':eval=frame",
      2,
    ],
    ['white noise in mono', 'anoisesrc=color=white:duration=8:amplitude=0.1:sample_rate=48000:seed=5', 1],
    [
      'pink noise in 5.1',
      'anoisesrc=color=pink:duration=8:amplitude=0.3:sample_rate=48000:seed=7,pan=5.1|c0=c0|c1=0.5*c0|c2=0.7*c0|c3=c0|c4=0.4*c0|c5=0.6*c0',
      6,
    ],
  ] as const)
    it(`${name}: R 128 within 0.2 LU of ebur128`, () => {
      const { samples, summary } = made(source, channels);
      const lines = [...summary.matchAll(/M:\s*(-?[\d.]+) S:\s*(-?[\d.]+)/gu)];
      const [, momentary, shortTerm] = lines.at(-1)!;
      const integrated = /Integrated loudness:\s+I:\s+(-?[\d.]+) LUFS/u.exec(summary)![1];
      const { momentary_lufs, short_term_lufs, integrated_lufs } = metered(samples, channels).levels;
      near(integrated_lufs, Number(integrated), 0.2, 'integrated');
      near(short_term_lufs, Number(shortTerm), 0.2, 'short-term');
      near(momentary_lufs, Number(momentary), 0.2, 'momentary');
    });
});
