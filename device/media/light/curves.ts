/** Curves between light and signal: SMPTE ST 2084 (PQ), ITU-R BT.2100 (HLG) and BT.1886 (the display of SDR). */

/** Luminance of diffuse white in HDR (ITU-R BT.2408-7 §2.1), which is 1 in the linear light of this product. */
export const WHITE_NITS = 203;
/** PQ ends here; a display of HLG, whose light depends on it, is taken to be of the reference (BT.2100-2 table 5). */
const PQ_NITS = 10_000;
const HLG_NITS = 1000;
/** Exponent of a display of HLG of that brightness. */
const HLG_GAMMA = 1.2;
const SDR_GAMMA = 2.4;

const M1 = 2610 / 16_384;
const M2 = (2523 / 4096) * 128;
const C1 = 3424 / 4096;
const C2 = (2413 / 4096) * 32;
const C3 = (2392 / 4096) * 32;

export function pqOf(nits: number): number {
  const power = (Math.max(0, nits) / PQ_NITS) ** M1;
  return ((C1 + C2 * power) / (1 + C3 * power)) ** M2;
}

export function nitsOfPq(signal: number): number {
  const power = Math.max(0, signal) ** (1 / M2);
  return PQ_NITS * (Math.max(0, power - C1) / (C2 - C3 * power)) ** (1 / M1);
}

const A = 0.178_832_77;
const B = 1 - 4 * A;
const C = 0.5 - A * Math.log(4 * A);

/** `scene` is the light before the camera, of 1 at most. */
export function hlgOf(scene: number): number {
  const light = Math.max(0, scene);
  return light <= 1 / 12 ? Math.sqrt(3 * light) : A * Math.log(12 * light - B) + C;
}

export function sceneOfHlg(signal: number): number {
  const value = Math.max(0, signal);
  return value <= 0.5 ? (value * value) / 3 : (Math.exp((value - C) / A) + B) / 12;
}

/** A display of HLG shows the light of a scene multiplied by this, which depends on the scene's luminance; the result is of white. */
export function hlgGain(luminance: number): number {
  return (HLG_NITS / WHITE_NITS) * luminance ** (HLG_GAMMA - 1);
}

/** The factor by which displayed light, as a part of white, becomes that of a scene in HLG. */
export function hlgLoss(luminance: number): number {
  const shown = luminance * (WHITE_NITS / HLG_NITS);
  return shown <= 0 ? 0 : (WHITE_NITS / HLG_NITS) * shown ** (1 / HLG_GAMMA - 1);
}

/** Light of an SDR display, of 1 for white. */
export function lightOfSdr(signal: number): number {
  return Math.max(0, signal) ** SDR_GAMMA;
}

export function sdrOf(light: number): number {
  return Math.max(0, light) ** (1 / SDR_GAMMA);
}

/** A curve as a table over the root of its argument, of `max` at most: dark values lie as close as bright ones. */
export class CurveTable {
  private readonly values: Float32Array;
  private readonly scale: number;

  constructor(curve: (light: number) => number, max: number, size = 16_384) {
    this.scale = (size - 1) / Math.sqrt(max);
    this.values = Float32Array.from({ length: size }, (_, at) => curve((at / this.scale) ** 2));
  }

  at(light: number): number {
    const { values } = this;
    if (light <= 0) return values[0]!;
    return values[Math.min(values.length - 1, Math.round(Math.sqrt(light) * this.scale))]!;
  }
}
