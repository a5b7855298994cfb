/** Paints small JPEGs of raw frames in this process: an ffmpeg for each would take 80 ms of a core, and this takes 2 ms. */
import type * as CanvasModule from '@napi-rs/canvas';
import { AppError } from '../../../domain/base/errors.ts';
import { BT709 } from '../light/colour.ts';
import { samplesIn, scaleOf, type FrameForm } from '../light/frame-form.ts';
import { SdrView } from '../light/sdr-view.ts';
import type { Size } from './placement.ts';
import { Reduction } from './reduction.ts';

const OPAQUE = 255;

/** Limited range has Y' 16…235, Cb and Cr 16…240 around 128; JFIF has all 256 values (BT.709-6 §3.4, §3.5). */
const LUMA = 255 / 219;
const CHROMA = 255 / 224;
const GREEN = 1 - BT709.red - BT709.blue;
const RED_OF_CR = 2 * (1 - BT709.red) * CHROMA;
const BLUE_OF_CB = 2 * (1 - BT709.blue) * CHROMA;
const GREEN_OF_CR = (RED_OF_CR * BT709.red) / GREEN;
const GREEN_OF_CB = (BLUE_OF_CB * BT709.blue) / GREEN;

export class StillPainter {
  private readonly frame: FrameForm;
  private readonly view: SdrView | undefined;
  private readonly size: Size;
  private readonly quality: number;
  private readonly canvas: CanvasModule.Canvas;
  private readonly context: CanvasModule.SKRSContext2D;
  private readonly image: CanvasModule.ImageData;
  private readonly lumaReduction: Reduction;
  private readonly chromaReduction: Reduction;
  private readonly luma: Uint8Array;
  private readonly cb: Uint8Array;
  private readonly cr: Uint8Array;

  private constructor(module: typeof CanvasModule, frame: FrameForm, size: Size, quality: number) {
    const chroma = halfOf(size);
    this.frame = frame;
    this.view = SdrView.of(frame.light);
    this.size = size;
    this.quality = quality;
    this.canvas = module.createCanvas(size.width, size.height);
    this.context = this.canvas.getContext('2d');
    this.image = new module.ImageData(size.width, size.height);
    this.image.data.fill(OPAQUE);
    this.lumaReduction = new Reduction(frame, size, scaleOf(frame));
    this.chromaReduction = new Reduction(halfOf(frame), chroma, scaleOf(frame));
    this.luma = new Uint8Array(size.width * size.height);
    this.cb = new Uint8Array(chroma.width * chroma.height);
    this.cr = new Uint8Array(this.cb.length);
  }

  /**
   * Paints frames of one form; `quality` is of 100. Loading the library takes about 40 ms of this thread, once. Rejects
   * with AppError unsupported_by_device.
   */
  static async load(frame: FrameForm, size: Size, quality: number): Promise<StillPainter> {
    const module = await import('@napi-rs/canvas').catch((error: unknown) => {
      throw new AppError(
        'unsupported_by_device',
        'This Device cannot make pictures: @napi-rs/canvas is not installed.',
        { cause: error },
      );
    });
    return new StillPainter(module, frame, size, quality);
  }

  /** The frame is read before this returns. The canvas is read by another thread until the promise settles: only then call it again. */
  jpeg(bytes: Uint8Array): Promise<Buffer> {
    const frame = samplesIn(bytes, this.frame);
    const pixels = this.frame.width * this.frame.height;
    this.lumaReduction.reduce(frame, 0, this.luma);
    this.chromaReduction.reduce(frame, pixels, this.cb);
    this.chromaReduction.reduce(frame, pixels * 1.25, this.cr);
    if (this.view === undefined) this.convert();
    else this.mapTones(this.view);
    this.context.putImageData(this.image, 0, 0);
    return this.canvas.encode('jpeg', this.quality);
  }

  private mapTones(view: SdrView): void {
    const { luma, cb, cr, size } = this;
    const { data } = this.image;
    const chromaWidth = halfOf(size).width;
    for (let y = 0, n = 0; y < size.height; y += 1) {
      const row = (y >> 1) * chromaWidth;
      for (let x = 0; x < size.width; x += 1, n += 1) {
        const at = row + (x >> 1);
        view.write(luma[n]!, cb[at]!, cr[at]!, data, 4 * n);
      }
    }
  }

  private convert(): void {
    const { luma, cb, cr, size } = this;
    const { data } = this.image;
    const chromaWidth = halfOf(size).width;
    let [red, green, blue] = [0, 0, 0];
    for (let y = 0, n = 0, at = 0; y < size.height; y += 1) {
      const row = (y >> 1) * chromaWidth;
      for (let x = 0; x < size.width; x += 1, n += 1, at += 4) {
        if ((x & 1) === 0) {
          const u = cb[row + (x >> 1)]! - 128;
          const v = cr[row + (x >> 1)]! - 128;
          red = RED_OF_CR * v;
          green = -GREEN_OF_CB * u - GREEN_OF_CR * v;
          blue = BLUE_OF_CB * u;
        }
        const light = LUMA * (luma[n]! - 16);
        // The array rounds, and cuts off what no screen shows.
        data[at] = light + red;
        data[at + 1] = light + green;
        data[at + 2] = light + blue;
      }
    }
  }
}

function halfOf({ width, height }: Size): Size {
  return { width: (width + 1) >> 1, height: (height + 1) >> 1 };
}
