/** Frames that need no source: the slate, which viewers see while the source is lost, and black. They are drawn in BT.709, limited range. */
import { frameBytes, type FrameForm } from '../light/frame-form.ts';
import { inForm } from '../light/programme-colour.ts';

const BLACK_Y = 16;
const NEUTRAL = 128;

export function blackFrame(form: FrameForm): Buffer {
  return inForm(drawnBlack(form), form);
}

function drawnBlack({ width, height }: FrameForm): Buffer {
  const frame = Buffer.alloc(frameBytes({ width, height }), NEUTRAL);
  frame.fill(BLACK_Y, 0, width * height);
  return frame;
}

/** The bars of SMPTE EG 1 in order: grey, yellow, cyan, green, magenta, red, blue, at 75 % (Y, Cb, Cr). */
const BARS = [
  [180, 128, 128],
  [168, 44, 136],
  [145, 147, 44],
  [133, 63, 52],
  [63, 193, 204],
  [51, 109, 212],
  [28, 212, 120],
] as const;
/** Bars at full strength for minutes tire the eye and burn in; these read as "no signal" and stay in the background. */
const STRENGTH = 0.32;

/** Dim bars on dark grey with a thin line under them are seen as a slate at once, and not as the programme. */
export function slateFrame(form: FrameForm): Buffer {
  const { width, height } = form;
  const frame = drawnBlack(form);
  const chroma = { width: width / 2, height: height / 2 };
  const cb = width * height;
  const cr = cb + chroma.width * chroma.height;
  const bar = (x: number, of: number): (typeof BARS)[number] => BARS[Math.floor((x * BARS.length) / of)]!;
  const band = { top: 0.3, bottom: 0.7, line: 0.012 };
  for (let y = 0; y < height; y += 1) {
    const at = y / height;
    const row = frame.subarray(y * width, (y + 1) * width);
    if (at >= band.top && at < band.bottom) {
      for (let x = 0; x < width; x += 1) row[x] = BLACK_Y + Math.round((bar(x, width)[0] - BLACK_Y) * STRENGTH);
    } else if (at >= band.bottom + band.line && at < band.bottom + 2 * band.line) row.fill(90);
    else row.fill(Math.round(BLACK_Y + 18 * (1 - Math.abs(at - 0.5))));
  }
  for (let y = 0; y < chroma.height; y += 1) {
    const at = y / chroma.height;
    if (at < band.top || at >= band.bottom) continue;
    for (let x = 0; x < chroma.width; x += 1) {
      const [, u, v] = bar(x, chroma.width);
      frame[cb + y * chroma.width + x] = NEUTRAL + Math.round((u - NEUTRAL) * STRENGTH);
      frame[cr + y * chroma.width + x] = NEUTRAL + Math.round((v - NEUTRAL) * STRENGTH);
    }
  }
  return inForm(frame, form);
}
