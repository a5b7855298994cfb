/** The true peak of a signal, estimated between its samples by four times oversampling (ITU-R BS.1770-5, annex 2). */

/** The filter's four phases of twelve taps; the other two are these two backwards. */
const PHASES = [
  [0.001708984375, 0.010986328125, -0.0196533203125, 0.033203125, -0.0594482421875, 0.1373291015625, 0.97216796875, -0.102294921875, 0.047607421875, -0.026611328125, 0.014892578125, -0.00830078125], // prettier-ignore
  [-0.0291748046875, 0.029296875, -0.0517578125, 0.089111328125, -0.16650390625, 0.465087890625, 0.77978515625, -0.2003173828125, 0.1015625, -0.0582275390625, 0.0330810546875, -0.0189208984375], // prettier-ignore
].map((taps) => Float32Array.from(taps));
export const TAPS = 12;

/**
 * Highest absolute value of the signal around the interval that follows sample `TAPS / 2 - 1` of the twelve at `at`, which lie `step`
 * apart.
 */
export function truePeakAt(samples: Float32Array, at: number, step: number): number {
  const [first, second] = PHASES as [Float32Array, Float32Array];
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let tap = 0, low = at, high = at + (TAPS - 1) * step; tap < TAPS; tap += 1, low += step, high -= step) {
    const [x, y] = [samples[low]!, samples[high]!];
    a += first[tap]! * x;
    b += second[tap]! * x;
    c += second[tap]! * y;
    d += first[tap]! * y;
  }
  return Math.max(Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(d));
}
