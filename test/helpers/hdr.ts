/** HDR by the formulas of ITU-R BT.2100, and what the programme makes of it in SDR. Signals and light from 0 to 1 unless a unit is named. */
export type Rgb = [number, number, number];

const PQ = {
  m1: 2610 / 16384,
  m2: (2523 / 4096) * 128,
  c1: 3424 / 4096,
  c2: (2413 / 4096) * 32,
  c3: (2392 / 4096) * 32,
};

export function pqCode(nits: number): number {
  const power = (nits / 10_000) ** PQ.m1;
  return ((PQ.c1 + PQ.c2 * power) / (1 + PQ.c3 * power)) ** PQ.m2;
}

/** cd/m² of a grey HLG signal on a display of 1000 cd/m² (system gamma 1.2). */
export function hlgNits(signal: number): number {
  const [a, b, c] = [0.17883277, 0.28466892, 0.55991073];
  const scene = signal <= 0.5 ? signal ** 2 / 3 : (Math.exp((signal - c) / a) + b) / 12;
  return 1000 * scene ** 1.2;
}

/** BT.2020 light in cd/m² to the 8-bit R'G'B' of a BT.709 display (BT.2087-0, BT.1886), highlights compressed over 0.3 up to 1000 cd/m². */
export function sdrOf([r, g, b]: Rgb): Rgb {
  const light: Rgb = [
    1.6605 * r - 0.5876 * g - 0.0728 * b,
    -0.1246 * r + 1.1329 * g - 0.0083 * b,
    -0.0182 * r - 0.1006 * g + 1.1187 * b,
  ];
  const linear = light.map((nits) => Math.max(0, nits / 203));
  const top = Math.max(...linear, 1e-6);
  const scale = mobius(top, 1000 / 203) / top;
  return linear.map((value) => 255 * Math.min(1, value * scale) ** (1 / 2.4)) as Rgb;
}

/** Linear up to 0.3, then towards 1 at the peak. */
function mobius(value: number, peak: number): number {
  const j = 0.3;
  if (value <= j) return value;
  const a = (-j * j * (peak - 1)) / (j * j - 2 * j + peak);
  const b = (j * j - 2 * j * peak + peak) / (peak - 1);
  return (((b * b + 2 * b * j + j * j) / (b - a)) * (value + a)) / (value + b);
}
