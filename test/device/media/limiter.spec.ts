/** Gain, mute and the limiter, through the encoder's own AAC as viewers decode it; loudness and true peaks are those of ffmpeg's ebur128. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import type { AudioSettings } from '../../../domain/shapes/encodings/encoding.ts';
import type { SoundOptions } from '../../../domain/shapes/broadcasts/sound.ts';
import { audioArgs } from '../../../device/media/arguments/encoder-args.ts';
import { planLadder, type LadderPlan } from '../../../device/media/ladder/ladder-plan.ts';
import { TrackChains } from '../../../device/media/sound/track-chains.ts';
import { rendition } from '../runner/specs.ts';
import { countOf, itLong } from '../../helpers/counts.ts';

const raw = (channels: number): string[] => ['-f', 's16le', '-ac', String(channels), '-ar', '48000'];
/** Instants of a frame at 30 a second. */
const BLOCK = 1600;
const AS_IT_COMES: SoundOptions = { gain_db: 0, mute: false, delay_ms: 0 };
const SECONDS = 4;

function made(source: string, channels = 2, filters = ''): Buffer {
  const graph = `${source}:s=48000:d=${SECONDS}${filters}`;
  const args = ['-v', 'error', '-f', 'lavfi', '-i', graph, ...raw(channels), '-'];
  return execFileSync('ffmpeg', args, { maxBuffer: 1 << 28 });
}

/** A programme of stereo, or of 5.1 where one of the streams has that. */
function planOf(...streams: Partial<AudioSettings>[]): LadderPlan {
  const { audio } = rendition(11, 320, 180, 300);
  return planLadder(
    streams.map((own, i) => ({
      ...rendition(i, 320, 180, 300),
      video: null,
      audio: { ...audio!, codec: 'mp4a', bitrate: 128, channels: 2, ...own },
    })),
  );
}

function through(chains: TrackChains, { sampleBytes }: LadderPlan, sound: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < sound.length; at += BLOCK * sampleBytes)
    blocks.push(chains.process(sound.subarray(at, at + BLOCK * sampleBytes)));
  return Buffer.concat(blocks);
}

interface Measured {
  lufs: number;
  peak: number;
}

function measured(input: readonly string[], sound: Buffer): Measured {
  const meter = ['-hide_banner', '-nostats', ...input, '-i', '-', '-af', 'ebur128=peak=true', '-f', 'null', '-'];
  const { stderr } = spawnSync('ffmpeg', meter, { input: sound });
  const words = stderr.toString();
  const summary = words.slice(words.lastIndexOf('Summary:'));
  const figure = (name: string): number => Number(new RegExp(`${name}:\\s+(-?[\\d.]+)`, 'u').exec(summary)?.[1]);
  return { lufs: figure('I'), peak: figure('Peak') };
}

interface Levels {
  before: Measured;
  /** As the encoder gets it. */
  sent: Measured;
  coded: Measured;
}

/** The levels of the last stream, amplified by `gain_db`. */
function levels(sound: Buffer, gain_db: number, ...streams: Partial<AudioSettings>[]): Levels {
  const plan = planOf(...streams);
  const all = through(new TrackChains(plan, { ...AS_IT_COMES, gain_db }), plan, sound);
  const stream = plan.renditions.at(-1)!.audio!;
  const { offset, channels } = stream.form;
  const taken = Array.from({ length: channels }, (_, i) => `c${i}=c${offset + i}`).join('|');
  const pan = ['-af', `pan=${channels === 1 ? 'mono' : 'stereo'}|${taken}`];
  const made = (...to: string[]): Buffer =>
    execFileSync('ffmpeg', ['-v', 'error', ...raw(plan.sentBytes / 2), '-i', '-', ...pan, ...to, '-'], {
      input: all,
      maxBuffer: 1 << 28,
    });
  return {
    before: measured(raw(plan.sampleBytes / 2), sound),
    sent: measured(raw(channels), made('-f', 's16le')),
    coded: measured(['-f', 'aac'], made(...audioArgs(stream, 0), '-f', 'adts')),
  };
}

const NOISE = '2*random(0)-1';
const WHITE = `aevalsrc='0.7*(${NOISE})|0.7*(2*random(1)-1)'`;
const BURSTS = `aevalsrc='0.9*(${NOISE})*lt(mod(t,0.4),0.2)|0.9*(2*random(1)-1)*lt(mod(t,0.4),0.2)'`;
const TONE = "aevalsrc='0.5*sin(2*PI*997*t)+0.2*sin(2*PI*3000*t)|0.5*sin(2*PI*997*t)'";
const PINK = 'anoisesrc=c=pink:a=0.9';
const SQUARE = "aevalsrc='0.99*sgn(sin(2*PI*220*t))|0.99*sgn(sin(2*PI*331*t))'";
const CHORD = 'sin(2*PI*110*t)+sin(2*PI*138.6*t)+sin(2*PI*164.8*t)';
const KICKS = `0.6*(${NOISE})*exp(-30*mod(t,0.5))+1.2*sin(2*PI*55*t)*exp(-8*mod(t,0.5))`;
const voice = (pitch: number): string => `0.24*(${CHORD}+0.7*sin(2*PI*${pitch}*t)*exp(-6*mod(t,0.25))+${KICKS})`;
/** At -8.5 LUFS, with peaks above full scale. */
const MUSIC = `aevalsrc='${voice(880)}|${voice(1320)}'`;
const SURROUND = `aevalsrc='${[voice(880), voice(1320), voice(660), '0', voice(440), voice(550)].join('|')}'`;
const SPEECH =
  "aevalsrc='0.9*(0.3+0.7*abs(sin(2*PI*2.1*t)))*(0.5*sin(2*PI*130*t+2*sin(2*PI*3*t))+0.3*sin(2*PI*520*t)" +
  "+0.2*sin(2*PI*2600*t))*gt(mod(t,1.3),0.2)+0.1*(2*random(0)-1)*lt(mod(t,0.7),0.08)'";

describe('the sound on its way to the encoder', () => {
  const cases = [
    ['music at 128 kbit/s', MUSIC, 0, [{}]],
    ['music in mono at 64 kbit/s, beside stereo', MUSIC, 0, [{}, { channels: 1, bitrate: 64 }]],
    ['speech-like sound amplified by 20 dB, at 96 kbit/s', SPEECH, 20, [{ bitrate: 96 }]],
    ['a stereo mix of 5.1 at 128 kbit/s', SURROUND, 0, [{ channels: 6, bitrate: 384 }, {}]],
    ['white noise amplified by 14 dB, in mono at 64 kbit/s', WHITE, 14, [{ channels: 1, bitrate: 64 }]],
    ['square waves of full scale in mono at 64 kbit/s', SQUARE, 0, [{ channels: 1, bitrate: 64 }]],
  ] as const;
  for (const [name, source, gain, streams] of cases.slice(0, countOf(4, cases.length)))
    it(`${name}: true peaks are below the ceiling before AAC, and 1 dB above full scale at most behind it`, (t) => {
      const channels = streams.some((one) => 'channels' in one && one.channels === 6) ? 6 : 2;
      const { sent, coded } = levels(made(source, channels), gain, ...streams);
      const last: Partial<AudioSettings> = streams.at(-1)!;
      const ceiling = (last.bitrate ?? 128) < 128 ? -2 : -1;
      t.diagnostic(`${sent.peak} dBTP, behind the codec ${coded.peak} dBTP`);
      // Two meters of true peaks differ by some tenths.
      assert.ok(sent.peak <= ceiling + 0.3, `${sent.peak} dBTP before the codec`);
      assert.ok(coded.peak <= 1, `${coded.peak} dBTP behind the codec`);
    });

  it('the limiter changes the loudness of what has up to -9 LUFS by less than 1 LU, and more gain is never quieter', () => {
    const sound = made(MUSIC);
    for (const [gain, streams] of [
      [-1, [{}]],
      [-1, [{ bitrate: 64 }]],
      [-6, [{}]],
    ] as const) {
      const { before, sent } = levels(sound, gain, ...streams);
      const change = sent.lufs - (before.lufs + gain);
      assert.ok(
        before.lufs + gain < -9 + 0.6 && Math.abs(change) < 1,
        `${before.lufs} LUFS, by ${change} LU at ${gain} dB`,
      );
    }
    const noise = made(WHITE);
    const [less, more] = [8, 14].map((gain) => levels(noise, gain, {}).sent.lufs);
    assert.ok(more! >= less! - 0.1, `${more} LUFS after ${less}`);
  });

  itLong(
    'ten programmes from -23 to -9 LUFS leave as loud as they came, within 1 LU, with peaks below the ceiling',
    (t) => {
      const kinds = { music: MUSIC, speech: SPEECH, noise: WHITE, bursts: BURSTS, tone: TONE };
      const worst = { change: 0, peak: -Infinity };
      for (let n = 0; n < 10; n += 1) {
        const [name, source] = Object.entries(kinds)[n % 5]!;
        const wanted = -23 + (14 * n) / 9;
        const volume = wanted - measured(raw(2), made(source)).lufs;
        const { before, sent, coded } = levels(made(source, 2, `,volume=${volume}dB`), 0, {});
        const change = sent.lufs - before.lufs;
        t.diagnostic(
          `${name}: ${before.lufs} LUFS, by ${change.toFixed(1)} LU; ${sent.peak} dBTP, ${coded.peak} behind AAC`,
        );
        worst.change = Math.max(worst.change, Math.abs(change));
        worst.peak = Math.max(worst.peak, sent.peak);
      }
      assert.ok(worst.change < 1, `${worst.change} LU`);
      assert.ok(worst.peak <= -1 + 0.1, `${worst.peak} dBTP before the codec`);
    },
  );

  const LATER = '*gt(t,1)';
  const noises = [
    ['white', WHITE, 192],
    ['pink', PINK, 192],
    ['white that begins in silence', WHITE.replaceAll(')|', `)${LATER}|`).replace(/'$/u, `${LATER}'`), 192],
    ['soft white', WHITE.replaceAll('0.7', '0.1'), 192],
    ['white', WHITE, 128],
    ['pink', PINK, 128],
    ['white', WHITE, 96],
    ['pink', PINK, 96],
  ] as const;
  for (const [name, source, bitrate] of noises.slice(0, countOf(1, noises.length)))
    it(`${name} noise amplified by 20 dB has true peaks below full scale behind AAC at ${bitrate} kbit/s`, (t) => {
      const { sent, coded } = levels(made(source), 20, { bitrate });
      t.diagnostic(`${sent.peak} dBTP, ${coded.peak} behind AAC`);
      assert.ok(coded.peak <= 0, `${coded.peak} dBTP`);
    });

  it('sound below the ceiling passes as it came, only later', () => {
    const sound = made(`aevalsrc='0.3*(${NOISE})|0.3*(2*random(1)-1)'`);
    const plan = planOf({});
    const out = through(new TrackChains(plan, AS_IT_COMES), plan, sound);
    const late = out.subarray(0, 96_000).indexOf(sound.subarray(4, 2004));
    assert.ok(late >= 4 && late <= 4 + 48 * 4 * 5, `${(late - 4) / 192} ms`);
    const shift = late - 4;
    assert.ok(out.subarray(shift).equals(sound.subarray(0, sound.length - shift)));
  });

  it('gain is what was asked for, and mute is silence, both without a click', () => {
    const plan = planOf({});
    const chains = new TrackChains(plan, { ...AS_IT_COMES, gain_db: 6 });
    const sound = made("aevalsrc='0.125*sin(2*PI*1000*t)|0.125*sin(2*PI*1000*t)'");
    const level = (bytes: Buffer): number => {
      const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      return 10 * Math.log10(samples.reduce((sum, value) => sum + (value / 32_768) ** 2, 0) / samples.length);
    };
    const tail = (bytes: Buffer): Buffer => bytes.subarray(bytes.length / 2);
    assert.ok(Math.abs(level(tail(through(chains, plan, sound))) - level(sound) - 6) < 0.1);
    chains.set({ ...AS_IT_COMES, gain_db: 6, mute: true });
    const faded = through(chains, plan, sound);
    assert.ok(tail(faded).every((byte) => byte === 0));
    const samples = new Int16Array(faded.buffer.slice(faded.byteOffset, faded.byteOffset + 9600));
    const steepest = samples.reduce(
      (most, value, n) => (n < 2 ? 0 : Math.max(most, Math.abs(value - samples[n - 2]!))),
      0,
    );
    assert.ok(steepest < 1600, `a step of ${steepest}`);
  });
});
