/** Small JPEGs of raw frames, and the peaks of raw sound, against what ffmpeg makes and measures of the same. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { PeakMeter } from '../../../device/media/frames/peak-meter.ts';
import { Reduction } from '../../../device/media/frames/reduction.ts';
import { frameBytes } from '../../../device/media/light/frame-form.ts';
import { StillPainter } from '../../../device/media/frames/still-painter.ts';
import { someOf } from '../../helpers/counts.ts';
import { stillArgs } from '../../../device/media/arguments/still-args.ts';

interface Size {
  width: number;
  height: number;
}

/** A frame of the programme: yuv420p in BT.709, limited range. */
function frameOf({ width, height }: Size, source: string): Buffer {
  const filter = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p';
  const input = ['-f', 'lavfi', '-i', `${source}:s=${width}x${height}`];
  const output = ['-vf', filter, '-frames:v', '1', '-f', 'rawvideo', '-'];
  return execFileSync('ffmpeg', ['-v', 'error', ...input, ...output], { maxBuffer: 1 << 28 });
}

/** The pixels of a JPEG as a screen shows them. */
function pixels(jpeg: Buffer): Buffer {
  const args = ['-v', 'error', '-f', 'mjpeg', '-i', '-', '-vf', 'format=rgb24', '-f', 'rawvideo', '-'];
  return execFileSync('ffmpeg', args, { input: jpeg, maxBuffer: 1 << 26, stdio: ['pipe', 'pipe', 'ignore'] });
}

function meanDifference(one: Buffer, other: Buffer): number {
  assert.equal(one.length, other.length);
  return one.reduce((sum, value, n) => sum + Math.abs(value - other[n]!), 0) / one.length;
}

describe('a painted still', () => {
  const sizes = [
    [
      { width: 426, height: 240 },
      { width: 321, height: 181 },
    ],
    [
      { width: 1920, height: 1080 },
      { width: 320, height: 180 },
    ],
    [
      { width: 1280, height: 720 },
      { width: 640, height: 360 },
    ],
    [
      { width: 640, height: 360 },
      { width: 640, height: 360 },
    ],
    [
      { width: 720, height: 1280 },
      { width: 180, height: 320 },
    ],
  ] as const;
  for (const [frame, size] of someOf(sizes, 2))
    it(`a painted still of ${frame.width}×${frame.height} as ${size.width}×${size.height} has the colours that ffmpeg gives it`, async () => {
      const raw = frameOf(frame, 'smptehdbars=r=25');
      const painter = await StillPainter.load(frame, size, 90);
      const mine = pixels(await painter.jpeg(raw));
      const other = execFileSync('ffmpeg', stillArgs(frame, size), {
        input: raw,
        maxBuffer: 1 << 26,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      assert.ok(meanDifference(mine, pixels(other)) < 4, String(meanDifference(mine, pixels(other))));
    });

  it('one painter paints frame after frame, and each shows its own', async () => {
    const size = { width: 320, height: 180 };
    const painter = await StillPainter.load(size, size, 70);
    for (const [colour, expected] of [
      ['red', [255, 0, 0]],
      ['lime', [0, 255, 0]],
      ['blue', [0, 0, 255]],
      ['white', [255, 255, 255]],
      ['black', [0, 0, 0]],
    ] as const) {
      const shown = pixels(await painter.jpeg(frameOf(size, `color=c=${colour}`)));
      expected.forEach((value, n) =>
        assert.ok(Math.abs(shown[n]! - value) <= 6, `${colour}: ${shown.subarray(0, 3).join()}`),
      );
    }
  });
});

describe('a reduction', () => {
  it('a reduction is the mean of what lies there', () => {
    const from = { width: 8, height: 4 };
    const frame = Uint8Array.from([0, 20, 40, 60, 80, 100, 120, 140].flatMap((value) => [value, value, value, value]));
    const into = new Uint8Array(4 * 2);
    new Reduction(from, { width: 4, height: 2 }).reduce(frame, 0, into);
    assert.deepEqual([...into], [20, 20, 40, 40, 100, 100, 120, 120]);
  });

  it('a reduction of a plane begins at its start, and may make it larger', () => {
    const into = new Uint8Array(4);
    new Reduction({ width: 1, height: 1 }, { width: 2, height: 2 }).reduce(Uint8Array.of(9, 9, 7), 2, into);
    assert.deepEqual([...into], [7, 7, 7, 7]);
    assert.equal(frameBytes({ width: 2, height: 2 }), 6);
  });
});

describe('the peak meter', () => {
  /** 16-bit samples of a tone on the left at this level, and of nothing on the right. */
  const tone = (dbfs: number, seconds: number): Buffer => {
    const source = `aevalsrc='${10 ** (dbfs / 20)}*sin(2*PI*997*t)|0':s=48000:d=${seconds}`;
    return execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', source, '-f', 's16le', '-']);
  };

  for (const dbfs of [0, -6, -20, -60])
    it(`the peak meter says ${dbfs} dBFS of a tone of ${dbfs} dBFS, and nothing of silence`, () => {
      const meter = new PeakMeter();
      meter.add(tone(dbfs, 0.2));
      const [left, right] = meter.peaks;
      assert.ok(Math.abs(left - dbfs) < 0.15, String(left));
      assert.equal(right, -100);
    });

  it('the peak meter forgets a peak a second after it, wherever the sound lies in memory', () => {
    const meter = new PeakMeter();
    const sound = tone(-12, 0.1);
    const shifted = Buffer.alloc(sound.length + 1);
    sound.copy(shifted, 1);
    meter.add(shifted.subarray(1));
    for (let n = 0; n < 9; n += 1) meter.advance();
    assert.equal(meter.peaks[0], -12);
    meter.advance();
    assert.deepEqual(meter.peaks, [-100, -100]);
  });
});
