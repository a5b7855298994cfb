/** R'G'B' of BT.709 as its viewers see it on an SDR display, in the signal of a programme in HDR, with white at 203 cd/m². */
import type { Light } from '../../../domain/shapes/encodings/light.ts';
import { CurveTable, hlgLoss, hlgOf, lightOfSdr, pqOf, WHITE_NITS } from './curves.ts';
import { frameBytes, samplesIn, scaleOf, type FrameForm } from './frame-form.ts';
import { BT709, programmeMatrix } from './colour.ts';

export type Rgb = [red: number, green: number, blue: number];

/** BT.2087-0 §2. */
const TO_BT2020 = [
  [0.6274, 0.3293, 0.0433],
  [0.0691, 0.9195, 0.0114],
  [0.0164, 0.088, 0.8956],
] as const;
const { red: RED, blue: BLUE } = programmeMatrix('pq');

/** Parts of a colour are told apart so finely: four times as finely as eight bits do. */
const STEPS = 1020;

export class ProgrammeColour {
  private readonly light: Light;
  private readonly linear = Float32Array.from({ length: STEPS + 1 }, (_, at) => lightOfSdr(at / STEPS));
  private readonly curve: CurveTable;

  private constructor(light: Light) {
    this.light = light;
    // White is 0.265 in the scene of HLG, and no colour of BT.709 has twice of it.
    this.curve = light === 'hlg' ? new CurveTable(hlgOf, 1) : new CurveTable((white) => pqOf(white * WHITE_NITS), 1.01);
  }

  /** Undefined for SDR, where nothing is converted. */
  static of(light: Light | undefined): ProgrammeColour | undefined {
    return light === undefined || light === 'sdr' ? undefined : new ProgrammeColour(light);
  }

  /** Writes the signal of a colour whose parts are of 0 to 1 into `to`. */
  convert(from: Readonly<Rgb>, to: Rgb): void {
    const { curve } = this;
    const [red, green, blue] = [this.linearOf(from[0]), this.linearOf(from[1]), this.linearOf(from[2])];
    for (let n = 0; n < 3; n += 1) {
      const row = TO_BT2020[n]!;
      to[n] = row[0] * red + row[1] * green + row[2] * blue;
    }
    const scale = this.light === 'hlg' ? hlgLoss(RED * to[0] + (1 - RED - BLUE) * to[1] + BLUE * to[2]) : 1;
    for (let n = 0; n < 3; n += 1) to[n] = curve.at(to[n]! * scale);
  }

  private linearOf(part: number): number {
    return this.linear[Math.round(Math.min(1, Math.max(0, part)) * STEPS)]!;
  }
}

/** Returns a picture of BT.709 in 8 bits in the form of a programme. It takes the colours of few, as drawings have. */
export function inForm(frame: Buffer, form: FrameForm): Buffer {
  const scale = scaleOf(form);
  if (scale === 1) return frame;
  const converted = Buffer.alloc(frameBytes(form));
  const samples = samplesIn(converted, form);
  const colour = ProgrammeColour.of(form.light);
  if (colour === undefined) {
    for (let n = 0; n < samples.length; n += 1) samples[n] = frame[n]! * scale;
    return converted;
  }
  const { width, height } = form;
  const [pixels, half] = [width * height, width / 2];
  const known = new Map<number, Rgb>();
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * width + x;
      const chroma = (y >> 1) * half + (x >> 1);
      const cb = pixels + chroma;
      const cr = cb + pixels / 4;
      const key = (frame[at]! << 16) | (frame[cb]! << 8) | frame[cr]!;
      let value = known.get(key);
      if (value === undefined) known.set(key, (value = samplesOf(colour, [frame[at]!, frame[cb]!, frame[cr]!], form)));
      samples[at] = value[0];
      samples[cb] = value[1];
      samples[cr] = value[2];
    }
  }
  return converted;
}

/** Limited range has Y' 16…235, Cb and Cr 16…240 around 128, times four in ten bits (BT.709-6 §3.5, BT.2100-2 table 9). */
function samplesOf(colour: ProgrammeColour, [luma, cb, cr]: Rgb, form: FrameForm): Rgb {
  const light = (luma - 16) / 219;
  const blue = light + ((cb - 128) / 224) * 2 * (1 - BT709.blue);
  const red = light + ((cr - 128) / 224) * 2 * (1 - BT709.red);
  const green = (light - BT709.red * red - BT709.blue * blue) / (1 - BT709.red - BT709.blue);
  const signal: Rgb = [0, 0, 0];
  colour.convert([red, green, blue], signal);
  const matrix = programmeMatrix(form.light);
  const shown = matrix.red * signal[0] + (1 - matrix.red - matrix.blue) * signal[1] + matrix.blue * signal[2];
  const scale = scaleOf(form);
  return [
    Math.round(scale * (16 + 219 * shown)),
    Math.round(scale * (128 + (224 * (signal[2] - shown)) / (2 * (1 - matrix.blue)))),
    Math.round(scale * (128 + (224 * (signal[0] - shown)) / (2 * (1 - matrix.red)))),
  ];
}
