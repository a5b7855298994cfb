/** Gain, mute and the limiter, through the encoder's own AAC as viewers decode it; true peaks are those of ffmpeg's ebur128. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { AudioSettings } from '../../../domain/encoding.ts';
import { audioArgs } from '../../../device/media/arguments/encoder-args.ts';
import { SoundChain } from '../../../device/media/sound/sound-chain.ts';
import { rendition } from '../runner/specs.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const RAW = ['-f', 's16le', '-ac', '2', '-ar', '48000'];
/** Bytes of a frame at 30 a second. */
const BLOCK = 6400;
const HIGHEST_DBTP = -0.5;

function made(source: string): Buffer {
  const args = ['-v', 'error', '-f', 'lavfi', '-i', source, ...RAW, '-'];
  return execFileSync('ffmpeg', args, { maxBuffer: 1 << 28 });
}

function through(chain: SoundChain, sound: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < sound.length; at += BLOCK) blocks.push(chain.process(sound.subarray(at, at + BLOCK)));
  return Buffer.concat(blocks);
}

function truePeakBehindCodec(t: TestContext, sound: Buffer, bitrate: number): number {
  const path = join(testFolder(t, 'limiter'), 'coded.ts');
  const settings: AudioSettings = { ...rendition(11, 320, 180, 300).audio!, codec: 'mp4a', bitrate };
  const coding = audioArgs({ pid: 256, settings } as Parameters<typeof audioArgs>[0], 0);
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...RAW, '-i', '-', ...coding, path], { input: sound });
  const meter = ['-hide_banner', '-nostats', '-i', path, '-af', 'ebur128=peak=true', '-f', 'null', '-'];
  const { stderr } = spawnSync('ffmpeg', meter, { encoding: 'utf8' });
  return Number(/True peak:\s+Peak:\s+(-?[\d.]+) dBFS/u.exec(stderr)?.[1]);
}

const WHITE = 'anoisesrc=color=white:duration=1:amplitude=0.99:sample_rate=48000:seed=1';
const PINK = 'anoisesrc=color=pink:duration=1:amplitude=0.9:sample_rate=48000:seed=2';
const TONE = 'sine=frequency=997:duration=1:sample_rate=48000,volume=17dB';
const SQUARE = "aevalsrc='0.99*sgn(sin(2*PI*220*t))|0.99*sgn(sin(2*PI*331*t))':s=48000:d=1";
const SPEECH =
  "aevalsrc='0.9*(0.3+0.7*abs(sin(2*PI*2.1*t)))*(0.5*sin(2*PI*130*t+2*sin(2*PI*3*t))+0.3*sin(2*PI*520*t)" +
  "+0.2*sin(2*PI*2600*t))*gt(mod(t,1.3),0.2)+0.1*(2*random(0)-1)*lt(mod(t,0.7),0.08)':s=48000:d=1.5";

describe('the sound on its way to the encoder', () => {
  for (const [name, source, gain_db] of [
    ['white noise amplified by 20 dB', WHITE, 20],
    ['a tone of full scale', TONE, 0],
    ['square waves of full scale', SQUARE, 0],
    ['speech-like sound amplified by 20 dB', SPEECH, 20],
  ] as const)
    it(`${name} has no true peak above ${HIGHEST_DBTP} dBTP behind AAC`, (t) => {
      const sound = through(new SoundChain(2, { gain_db, mute: false }), made(source));
      const peaks = [64, 96].map((bitrate) => [bitrate, truePeakBehindCodec(t, sound, bitrate)] as const);
      t.diagnostic(peaks.map(([bitrate, peak]) => `${bitrate}k: ${peak}`).join(', '));
      for (const [bitrate, peak] of peaks) assert.ok(peak <= HIGHEST_DBTP, `${peak} dBTP at ${bitrate} kbit/s`);
    });

  it('sound below the ceiling passes as it came, only later', () => {
    const sound = made(`${PINK},volume=-6dB`);
    const out = through(new SoundChain(2, { gain_db: 0, mute: false }), sound);
    const late = out.subarray(0, 96_000).indexOf(sound.subarray(4, 2004));
    assert.ok(late >= 4 && late <= 4 + 48 * 4 * 5, `${(late - 4) / 192} ms`);
    const shift = late - 4;
    assert.ok(out.subarray(shift).equals(sound.subarray(0, sound.length - shift)));
  });

  it('gain is what was asked for, and mute is silence, both without a click', () => {
    const chain = new SoundChain(2, { gain_db: 6, mute: false });
    const sound = made('sine=frequency=1000:duration=1:sample_rate=48000');
    const level = (bytes: Buffer): number => {
      const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      return 10 * Math.log10(samples.reduce((sum, value) => sum + (value / 32_768) ** 2, 0) / samples.length);
    };
    const tail = (bytes: Buffer): Buffer => bytes.subarray(bytes.length / 2);
    assert.ok(Math.abs(level(tail(through(chain, sound))) - level(sound) - 6) < 0.1);
    chain.set({ gain_db: 6, mute: true });
    const faded = through(chain, sound);
    assert.ok(tail(faded).every((byte) => byte === 0));
    const samples = new Int16Array(faded.buffer.slice(faded.byteOffset, faded.byteOffset + 9600));
    const steepest = samples.reduce(
      (most, value, n) => (n < 2 ? 0 : Math.max(most, Math.abs(value - samples[n - 2]!))),
      0,
    );
    assert.ok(steepest < 1600, `a step of ${steepest}`);
  });
});
