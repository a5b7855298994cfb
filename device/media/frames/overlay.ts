/** A bitmap with transparency, made ready once to be laid over many frames of the programme. */
import { programmeMatrix, type Matrix } from '../light/colour.ts';
import { samplesIn, scaleOf, type FrameForm } from '../light/frame-form.ts';
import { ProgrammeColour, type Rgb } from '../light/programme-colour.ts';
import type { Point, Size } from './placement.ts';

/** R'G'B' is multiplied by its alpha: the value between two pixels is then their mean, without a fringe of colours that nobody sees. */
export interface Bitmap extends Size {
  /** RGBA, 8 bit each, row by row. */
  data: Uint8Array;
}

/** Frame coordinates, all of them even. */
export interface Overlay extends Point, Size {
  /** Y' × alpha in 255ths, and the share that is left of the programme. */
  luma: Uint16Array | Uint32Array;
  lumaRest: Uint8Array;
  /** The same for Cb and Cr, as sums over the four pixels of a sample, so that only the last division rounds. */
  cb: Uint32Array;
  cr: Uint32Array;
  chromaRest: Uint16Array;
  /** A pair a row: where its first pixel with a value is, and where the last one ends. */
  lumaSpans: Uint16Array;
  chromaSpans: Uint16Array;
}

const OPAQUE = 255;
const SAMPLE_OPAQUE = 4 * OPAQUE;

/** Cuts off what lies outside of the frame; undefined when nothing is left. */
export function overlayOf(bitmap: Bitmap, at: Point, frame: FrameForm): Overlay | undefined {
  const down = (value: number): number => Math.max(0, value - (value & 1));
  const x = down(at.x);
  const y = down(at.y);
  const width = Math.min(frame.width, at.x + bitmap.width + 1) - x;
  const height = Math.min(frame.height, at.y + bitmap.height + 1) - y;
  const scale = scaleOf(frame);
  const overlay = emptyOverlay({ x, y, width: width - (width & 1), height: height - (height & 1) }, scale);
  if (overlay === undefined) return undefined;
  const colours = { matrix: programmeMatrix(frame.light), scale, light: ProgrammeColour.of(frame.light) };
  convert(bitmap, { x: at.x - x, y: at.y - y }, overlay, colours);
  overlay.lumaSpans = spansOf(overlay.lumaRest, overlay.width, overlay.height, OPAQUE);
  overlay.chromaSpans = spansOf(overlay.chromaRest, overlay.width / 2, overlay.height / 2, SAMPLE_OPAQUE);
  return overlay;
}

function emptyOverlay(box: Point & Size, scale: number): Overlay | undefined {
  if (box.width <= 0 || box.height <= 0) return undefined;
  const pixels = box.width * box.height;
  const empty = new Uint16Array(0);
  return {
    ...box,
    luma: scale === 1 ? new Uint16Array(pixels) : new Uint32Array(pixels),
    lumaRest: new Uint8Array(pixels).fill(OPAQUE),
    cb: new Uint32Array(pixels / 4),
    cr: new Uint32Array(pixels / 4),
    chromaRest: new Uint16Array(pixels / 4).fill(SAMPLE_OPAQUE),
    lumaSpans: empty,
    chromaSpans: empty,
  };
}

interface Colours {
  matrix: Matrix;
  scale: number;
  /** Undefined for SDR. */
  light: ProgrammeColour | undefined;
}

/**
 * Limited range has Y' 16…235, Cb and Cr 16…240 around 128 (BT.601-7 §2.5.3), times four in ten bits. In SDR all is linear, so premultiplied
 * values go straight in; in HDR the colour itself is converted, and multiplied by its alpha behind that.
 */
function convert(bitmap: Bitmap, offset: Point, overlay: Overlay, { matrix, scale, light }: Colours): void {
  const { data } = bitmap;
  const { red, blue } = matrix;
  const colour: Rgb = [0, 0, 0];
  const { width, height } = overlay;
  const green = 1 - red - blue;
  const toCb = 224 / (2 * (1 - blue));
  const toCr = 224 / (2 * (1 - red));
  const first = { x: Math.max(0, offset.x), y: Math.max(0, offset.y) };
  const last = { x: Math.min(width, offset.x + bitmap.width), y: Math.min(height, offset.y + bitmap.height) };
  for (let y = first.y; y < last.y; y += 1) {
    let from = ((y - offset.y) * bitmap.width + first.x - offset.x) * 4;
    for (let x = first.x; x < last.x; x += 1, from += 4) {
      const alpha = data[from + 3]!;
      if (alpha === 0) continue;
      // A scaler's rounding may leave a colour above its alpha.
      colour[0] = Math.min(data[from]!, alpha);
      colour[1] = Math.min(data[from + 1]!, alpha);
      colour[2] = Math.min(data[from + 2]!, alpha);
      if (light !== undefined) inLight(light, colour, alpha);
      const [r, g, b] = colour;
      const shown = red * r + green * g + blue * b;
      const at = y * width + x;
      const sample = (y >> 1) * (width >> 1) + (x >> 1);
      overlay.luma[at] = Math.round(scale * (16 * alpha + 219 * shown));
      overlay.lumaRest[at] = OPAQUE - alpha;
      overlay.cb[sample]! += Math.round(scale * (128 * alpha + toCb * (b - shown)));
      overlay.cr[sample]! += Math.round(scale * (128 * alpha + toCr * (r - shown)));
      overlay.chromaRest[sample]! -= alpha;
    }
  }
}

function inLight(light: ProgrammeColour, colour: Rgb, alpha: number): void {
  for (let n = 0; n < 3; n += 1) colour[n]! /= alpha;
  light.convert(colour, colour);
  for (let n = 0; n < 3; n += 1) colour[n]! *= alpha;
}

function spansOf(rest: Uint8Array | Uint16Array, width: number, height: number, untouched: number): Uint16Array {
  const spans = new Uint16Array(2 * height);
  for (let row = 0; row < height; row += 1) {
    let from = 0;
    let to = width;
    while (from < to && rest[row * width + from] === untouched) from += 1;
    while (to > from && rest[row * width + to - 1] === untouched) to -= 1;
    spans[2 * row] = from;
    spans[2 * row + 1] = to;
  }
  return spans;
}

type Samples = Uint8Array | Uint16Array;

/** Lays the overlay over a frame, in place; only its own box is touched. */
export function blend(bytes: Uint8Array, form: FrameForm, overlay: Overlay): void {
  const frame = samplesIn(bytes, form);
  blendLuma(frame, form.width, overlay);
  const width = form.width / 2;
  const samples = (form.width * form.height) / 4;
  blendChroma(frame, 4 * samples, width, overlay, overlay.cb);
  blendChroma(frame, 5 * samples, width, overlay, overlay.cr);
}

function blendLuma(frame: Samples, frameWidth: number, overlay: Overlay): void {
  const { luma, lumaRest, lumaSpans, width, height, x, y } = overlay;
  const isEightBit = frame instanceof Uint8Array;
  for (let row = 0; row < height; row += 1) {
    const to = row * width + lumaSpans[2 * row + 1]!;
    const shift = (y + row) * frameWidth + x - row * width;
    for (let at = row * width + lumaSpans[2 * row]!; at < to; at += 1) {
      const rest = lumaRest[at]!;
      if (rest === OPAQUE) continue;
      // This divides by 255, rounded; the quick way is right for all values below 65 536.
      const sum = luma[at]! + frame[at + shift]! * rest + 128;
      frame[at + shift] = isEightBit ? (sum + (sum >> 8)) >> 8 : (sum - 1) / OPAQUE;
    }
  }
}

function blendChroma(frame: Samples, plane: number, planeWidth: number, overlay: Overlay, chroma: Uint32Array): void {
  const { chromaRest, chromaSpans, x, y } = overlay;
  const width = overlay.width >> 1;
  const height = overlay.height >> 1;
  for (let row = 0; row < height; row += 1) {
    const to = row * width + chromaSpans[2 * row + 1]!;
    const shift = plane + ((y >> 1) + row) * planeWidth + (x >> 1) - row * width;
    for (let at = row * width + chromaSpans[2 * row]!; at < to; at += 1) {
      const rest = chromaRest[at]!;
      if (rest === SAMPLE_OPAQUE) continue;
      frame[at + shift] = (chroma[at]! + frame[at + shift]! * rest + SAMPLE_OPAQUE / 2) / SAMPLE_OPAQUE;
    }
  }
}
