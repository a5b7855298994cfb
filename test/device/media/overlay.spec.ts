/** Overlays to the pixel: places, colours, edges, and that a frame is touched nowhere else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { POSITIONS } from '../../../domain/shapes/broadcasts/livestream.ts';
import { BT601, BT709, matrixOf } from '../../../device/media/light/colour.ts';
import { blend, overlayOf, type Bitmap } from '../../../device/media/frames/overlay.ts';
import { imageDemuxer, logoArgs, parsePam } from '../../../device/media/arguments/still-args.ts';
import { pixelScale, place, safeArea } from '../../../device/media/frames/placement.ts';
import { frameBytes } from '../../../device/media/light/frame-form.ts';

const FRAME = { width: 16, height: 8 };
const SAMPLES = (FRAME.width * FRAME.height) / 4;

/** One colour, given as it is, stored premultiplied. */
function flat(width: number, height: number, [r, g, b, a]: [number, number, number, number]): Bitmap {
  const pixel = [r, g, b].map((value) => Math.round((value * a) / 255));
  const data = Uint8Array.from({ length: width * height * 4 }, (_, at) => (at % 4 === 3 ? a : pixel[at % 4]!));
  return { width, height, data };
}

/** Y' of each pixel, Cb and Cr of each sample. */
function laid(bitmap: Bitmap, x: number, y: number, under: [number, number, number] = [100, 110, 140]) {
  const frame = Buffer.alloc(frameBytes(FRAME));
  frame
    .fill(under[0], 0, 4 * SAMPLES)
    .fill(under[1], 4 * SAMPLES, 5 * SAMPLES)
    .fill(under[2], 5 * SAMPLES);
  const overlay = overlayOf(bitmap, { x, y }, FRAME);
  if (overlay !== undefined) blend(frame, FRAME, overlay);
  const sample = (plane: number, px: number, py: number): number =>
    frame[(4 + plane) * SAMPLES + (py >> 1) * (FRAME.width / 2) + (px >> 1)]!;
  return {
    frame,
    at: (px: number, py: number) => [frame[py * FRAME.width + px]!, sample(0, px, py), sample(1, px, py)],
  };
}

describe('overlay', () => {
  it('an overlay of an opaque colour replaces what was there, in the values of BT.709', () => {
    // ITU-R BT.709-6 §3.2 to §3.5.
    const known: [[number, number, number], [number, number, number]][] = [
      [
        [255, 255, 255],
        [235, 128, 128],
      ],
      [
        [0, 0, 0],
        [16, 128, 128],
      ],
      [
        [255, 0, 0],
        [63, 102, 240],
      ],
      [
        [0, 255, 0],
        [173, 42, 26],
      ],
      [
        [0, 0, 255],
        [32, 240, 118],
      ],
    ];
    for (const [[r, g, b], expected] of known)
      assert.deepEqual(laid(flat(4, 4, [r, g, b, 255]), 4, 2).at(5, 3), expected);
  });

  it('the matrix of a source that does not name it is BT.709 from 720 lines on, upright pictures included', () => {
    assert.equal(matrixOf({ width: 640, height: 360 }), BT601);
    assert.equal(matrixOf({ width: 1024, height: 576 }), BT601);
    for (const size of [
      { width: 1280, height: 720 },
      { width: 1080, height: 1920 },
    ])
      assert.equal(matrixOf(size), BT709);
  });

  it('a half-transparent overlay leaves half of the frame below', () => {
    assert.deepEqual(laid(flat(2, 2, [255, 255, 255, 128]), 0, 0).at(0, 0), [168, 119, 134]);
    assert.deepEqual(laid(flat(2, 2, [255, 255, 255, 0]), 0, 0).at(0, 0), [100, 110, 140]);
  });

  it('an overlay touches its own box only, on odd places and with odd sides too', () => {
    const { at, frame } = laid(flat(3, 3, [255, 255, 255, 255]), 5, 3);
    for (let y = 0; y < FRAME.height; y += 1)
      for (let x = 0; x < FRAME.width; x += 1) {
        const inside = x >= 5 && x < 8 && y >= 3 && y < 6;
        assert.equal(at(x, y)[0], inside ? 235 : 100, `${x},${y}`);
      }
    // A sample of which one pixel in four is covered takes a quarter of white's 128 to three of 110.
    assert.equal(at(4, 2)[1], Math.round((128 + 3 * 110) / 4));
    assert.equal(at(6, 4)[1], 128);
    assert.equal(frame[4 * SAMPLES], 110);
  });

  it('invisible pixels of an overlay have no colour, and none of them fringes an edge', () => {
    const bitmap = flat(2, 2, [255, 0, 0, 255]);
    bitmap.data.set([0, 255, 0, 0], 4);
    bitmap.data.set([0, 255, 0, 0], 12);
    const grey = laid(bitmap, 0, 0, [100, 128, 128]).at(0, 0);
    assert.deepEqual(grey.slice(1), [Math.round((2 * 128 + 2 * 102.3) / 4), Math.round((2 * 128 + 2 * 240) / 4)]);
  });

  it('an overlay cuts off what lies outside of the frame', () => {
    const { at } = laid(flat(8, 8, [255, 255, 255, 255]), -3, -5);
    assert.deepEqual([at(4, 2)[0], at(5, 2)[0], at(4, 3)[0]], [235, 100, 100]);
    assert.equal(laid(flat(9, 9, [255, 255, 255, 255]), 13, 5).at(15, 7)[0], 235);
    assert.equal(overlayOf(flat(2, 2, [1, 1, 1, 255]), { x: 16, y: 0 }, FRAME), undefined);
    assert.equal(overlayOf(flat(2, 2, [1, 1, 1, 255]), { x: -4, y: 0 }, FRAME), undefined);
  });

  it('an overlay rounds no value beyond its range', () => {
    for (let alpha = 0; alpha <= 255; alpha += 5)
      for (const under of [16, 100, 235]) {
        const [luma] = laid(flat(2, 2, [255, 255, 255, alpha]), 0, 0, [under, 128, 128]).at(0, 0);
        const exact = (235 * alpha + under * (255 - alpha)) / 255;
        assert.ok(Math.abs(luma! - exact) <= 1.0, `${alpha} over ${under}`);
      }
  });
});

describe('placement', () => {
  it('an overlay has nine places, on even pixels, 3.5 % from the edges', () => {
    const frame = { width: 1920, height: 1080 };
    assert.deepEqual(safeArea(frame), { x: 67, y: 38, width: 1786, height: 1004 });
    const places = Object.fromEntries(POSITIONS.map((one) => [one, place(one, { width: 200, height: 100 }, frame)]));
    assert.deepEqual(places, {
      Center: { x: 860, y: 490 },
      Left: { x: 68, y: 490 },
      Right: { x: 1654, y: 490 },
      Top: { x: 860, y: 38 },
      Bottom: { x: 860, y: 942 },
      'Top-Left': { x: 68, y: 38 },
      'Top-Right': { x: 1654, y: 38 },
      'Bottom-Left': { x: 68, y: 942 },
      'Bottom-Right': { x: 1654, y: 942 },
    });
  });

  it('the placement of an overlay counts pixels at 1080 lines, for upright pictures too', () => {
    const scales = [
      [1920, 1080],
      [640, 360],
      [1080, 1920],
      [3840, 2160],
    ].map(([width, height]) => pixelScale({ width: width!, height: height! }));
    assert.deepEqual(scales, [1, 1 / 3, 1, 2]);
  });
});

describe('logo files', () => {
  it('logo files are recognised by their first bytes, and opened by that demuxer alone', () => {
    assert.equal(imageDemuxer(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')), 'png_pipe');
    assert.equal(imageDemuxer(Buffer.from('\xff\xd8\xff\xe0', 'latin1')), 'jpeg_pipe');
    for (const text of ['', '\x89PNG', 'GIF89a', '#EXTM3U\n', '<svg '])
      assert.equal(imageDemuxer(Buffer.from(text, 'latin1')), undefined, text);
    const args = logoArgs('/a b.png', 'png_pipe', FRAME);
    assert.deepEqual(args.slice(args.indexOf('-protocol_whitelist'), args.indexOf('-vf')), [
      ...['-protocol_whitelist', 'file', '-format_whitelist', 'png_pipe', '-threads', '1'],
      ...['-f', 'png_pipe', '-i', 'file:/a b.png'],
    ]);
  });

  it('logo files come as PAM, and half a picture is none', () => {
    const head = 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n';
    const whole = Buffer.concat([Buffer.from(head), Buffer.from([1, 2, 3, 4, 5, 6, 7, 8])]);
    assert.deepEqual([...parsePam(whole).data], [1, 2, 3, 4, 5, 6, 7, 8]);
    for (const broken of [
      whole.subarray(0, -1),
      Buffer.from(head),
      Buffer.alloc(0),
      Buffer.from(`X${whole.toString('latin1')}`),
    ])
      assert.throws(() => parsePam(broken), RangeError);
  });
});
