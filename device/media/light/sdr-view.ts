/** Shows small pictures of a programme in HDR on a screen of SDR, as the tone map of light-filters.ts does: for stills, which few look at closely. */
import type { Light } from '../../../domain/shapes/encodings/light.ts';
import { BT2020 } from './colour.ts';
import { CurveTable, hlgGain, nitsOfPq, sceneOfHlg, sdrOf, WHITE_NITS } from './curves.ts';
import { KNEE, PEAK } from './light-filters.ts';

/** BT.2407-0 §2: of BT.2020, in BT.709; what lies outside is cut off. */
const TO_BT709 = [
  [1.6605, -0.5876, -0.0728],
  [-0.1246, 1.1329, -0.0083],
  [-0.0182, -0.1006, 1.1187],
] as const;
/** Steps of the signal; pictures come in eight bits. */
const STEPS = 1023;
const GREEN = 1 - BT2020.red - BT2020.blue;
const RED_OF_CR = 2 * (1 - BT2020.red);
const BLUE_OF_CB = 2 * (1 - BT2020.blue);

/** The curve of ffmpeg's mobius: straight up to the knee, and with its peak at 1. */
function mobius(light: number): number {
  if (light <= KNEE) return light;
  const a = (-KNEE * KNEE * (PEAK - 1)) / (KNEE * KNEE - 2 * KNEE + PEAK);
  const b = (KNEE * KNEE - 2 * KNEE * PEAK + PEAK) / (PEAK - 1);
  return (((b + KNEE) * (b + KNEE)) / (b - a)) * ((light + a) / (light + b));
}

export class SdrView {
  private readonly isHlg: boolean;
  /** Light of a signal, as a part of white; in HLG that of the scene. */
  private readonly linear: Float32Array;
  private readonly gain = new CurveTable(hlgGain, 1, 1024);
  /** A colour is multiplied by it, which depends on its brightest part. */
  private readonly factor = new CurveTable((light) => (light <= KNEE ? 1 : mobius(light) / light), 60, 4096);
  private readonly shown = new CurveTable((light) => 255 * sdrOf(light), 1, 1024);

  private constructor(light: Light) {
    this.isHlg = light === 'hlg';
    const curve = this.isHlg ? sceneOfHlg : (signal: number) => nitsOfPq(signal) / WHITE_NITS;
    this.linear = Float32Array.from({ length: STEPS + 1 }, (_, at) => curve(at / STEPS));
  }

  /** Undefined for SDR, where nothing is converted. */
  static of(light: Light | undefined): SdrView | undefined {
    return light === undefined || light === 'sdr' ? undefined : new SdrView(light);
  }

  /** Writes a pixel in RGB at `at`; its samples are of eight bits in limited range. */
  write(luma: number, cb: number, cr: number, data: Uint8ClampedArray, at: number): void {
    const signal = (luma - 16) / 219;
    const [blueShift, redShift] = [(cb - 128) / 224, (cr - 128) / 224];
    const red = this.lightOf(signal + RED_OF_CR * redShift);
    const blue = this.lightOf(signal + BLUE_OF_CB * blueShift);
    const greenShift = (BT2020.red * RED_OF_CR * redShift + BT2020.blue * BLUE_OF_CB * blueShift) / GREEN;
    const green = this.lightOf(signal - greenShift);
    const gain = this.isHlg ? this.gain.at(BT2020.red * red + GREEN * green + BT2020.blue * blue) : 1;
    const [toRed, toGreen, toBlue] = TO_BT709;
    const r = Math.max(0, toRed[0] * red + toRed[1] * green + toRed[2] * blue) * gain;
    const g = Math.max(0, toGreen[0] * red + toGreen[1] * green + toGreen[2] * blue) * gain;
    const b = Math.max(0, toBlue[0] * red + toBlue[1] * green + toBlue[2] * blue) * gain;
    const factor = this.factor.at(Math.max(r, g, b));
    data[at] = this.shown.at(r * factor);
    data[at + 1] = this.shown.at(g * factor);
    data[at + 2] = this.shown.at(b * factor);
  }

  private lightOf(signal: number): number {
    return this.linear[Math.min(STEPS, Math.max(0, Math.round(signal * STEPS)))]!;
  }
}
