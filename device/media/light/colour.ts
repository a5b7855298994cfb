/** The two weights of a matrix by which R'G'B' becomes Y'CbCr in limited range (ITU-R BT.601-7 §2.5.1, BT.709-6 §3.2, BT.2020-2 table 4). */
import type { Light } from '../../../domain/shapes/encodings/light.ts';

export interface Matrix {
  name: 'bt601' | 'bt709' | 'bt2020';
  /** Weights of red and blue in Y'. */
  red: number;
  blue: number;
}

export const BT601: Matrix = { name: 'bt601', red: 0.299, blue: 0.114 };
export const BT709: Matrix = { name: 'bt709', red: 0.2126, blue: 0.0722 };
export const BT2020: Matrix = { name: 'bt2020', red: 0.2627, blue: 0.0593 };

/**
 * Guesses the matrix of a source that does not name it. Players go by the size of the picture, and sources of that size were made for them:
 * BT.709 from 720 lines on, BT.601 below. The programme itself is always BT.709, or BT.2020 in HDR, and says so.
 */
export function matrixOf({ width, height }: { width: number; height: number }): Matrix {
  return Math.min(width, height) >= 720 || Math.max(width, height) >= 1280 ? BT709 : BT601;
}

export function programmeMatrix(light: Light | undefined): Matrix {
  return light === undefined || light === 'sdr' ? BT709 : BT2020;
}
