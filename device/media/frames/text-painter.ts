/** Paints texts: shaping, bidirectional order and fallback between fonts are Skia's. Nothing in a text is ever an instruction to it. */
import { existsSync } from 'node:fs';
import type * as CanvasModule from '@napi-rs/canvas';
import { AppError } from '../../../domain/base/errors.ts';
import type { TextSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { FrameForm } from '../light/frame-form.ts';
import { overlayOf, type Bitmap, type Overlay } from './overlay.ts';
import { pixelScale, place, safeArea } from './placement.ts';
import { wrapText } from './text-wrap.ts';

type Canvas = CanvasModule.Canvas;
type SKRSContext2D = CanvasModule.SKRSContext2D;

/** Fonts are asked for a character in this order; the emoji font comes last because it has digits, too. */
const FAMILIES = [
  'DejaVu Sans',
  'WenQuanYi Micro Hei',
  'Droid Sans Fallback',
  'FreeSans',
  'FreeSerif',
  'Noto Color Emoji',
] as const;
const FONT_ROOT = '/usr/share/fonts/truetype';
/** Debian has the fonts here, for a machine whose fonts are not found by themselves. */
const FONT_FILES: Record<(typeof FAMILIES)[number], string> = {
  'DejaVu Sans': `${FONT_ROOT}/dejavu/DejaVuSans.ttf`,
  'WenQuanYi Micro Hei': `${FONT_ROOT}/wqy/wqy-microhei.ttc`,
  'Droid Sans Fallback': `${FONT_ROOT}/droid/DroidSansFallbackFull.ttf`,
  FreeSans: `${FONT_ROOT}/freefont/FreeSans.ttf`,
  FreeSerif: `${FONT_ROOT}/freefont/FreeSerif.ttf`,
  'Noto Color Emoji': `${FONT_ROOT}/noto/NotoColorEmoji.ttf`,
};
const LINE_HEIGHT = 1.25;
/** Share of the size, half of it outside of the letters: enough to read white on white, and thin. */
const OUTLINE = 0.14;
const RTL = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

interface Font {
  px: number;
  /** The font as canvas reads it. */
  name: string;
  ascent: number;
  descent: number;
}

interface Line {
  text: string;
  width: number;
}

/** No font has a noncharacter (Unicode 16.0 §23.7). */
const NONCHARACTER = '\u{ffffe}';
/** The size is large enough to tell a letter from a box. */
const GLYPH_PX = 24;
const GLYPH_SIDE = 2 * GLYPH_PX;
/** Marks and joiners have no shape of their own. */
const DRAWN = /[\p{L}\p{N}\p{P}\p{S}]/gu;

/** Finds the characters that no font of this machine has: for each of them Skia draws the same box, and viewers would see it. */
class Glyphs {
  private readonly context: SKRSContext2D;
  private readonly known = new Map<string, boolean>();
  private readonly box: Buffer;

  constructor(canvas: typeof CanvasModule, families: string) {
    this.context = canvas.createCanvas(GLYPH_SIDE, GLYPH_SIDE).getContext('2d');
    this.context.font = `${GLYPH_PX}px ${families}`;
    this.box = this.draw(NONCHARACTER);
  }

  /** Returns each character once, in their order. It takes 0.3 ms of this thread for a character that was not asked for before. */
  missingIn(text: string): string[] {
    return [...new Set(text.match(DRAWN) ?? [])].filter((character) => {
      const known = this.known.get(character) ?? !this.draw(character).equals(this.box);
      this.known.set(character, known);
      return !known;
    });
  }

  private draw(character: string): Buffer {
    this.context.clearRect(0, 0, GLYPH_SIDE, GLYPH_SIDE);
    this.context.fillText(character, GLYPH_PX / 4, GLYPH_PX * 1.25);
    return Buffer.from(this.context.getImageData(0, 0, GLYPH_SIDE, GLYPH_SIDE).data.buffer);
  }
}

export class TextPainter {
  private readonly canvas: typeof CanvasModule;
  private readonly families: string;
  private readonly ruler: SKRSContext2D;
  private readonly glyphs: Glyphs;

  private constructor(canvas: typeof CanvasModule, families: string[]) {
    this.canvas = canvas;
    this.families = families.map((family) => `"${family}"`).join(', ');
    this.ruler = canvas.createCanvas(1, 1).getContext('2d');
    this.glyphs = new Glyphs(canvas, this.families);
  }

  /** Takes about 40 ms of this thread, once: the library and its look at the fonts are loaded when the first text is shown. */
  static async load(): Promise<TextPainter> {
    const canvas = await import('@napi-rs/canvas').catch((error: unknown) => {
      throw new AppError('unsupported_by_device', 'This Device cannot show texts: @napi-rs/canvas is not installed.', {
        cause: error,
      });
    });
    const { GlobalFonts } = canvas;
    for (const family of FAMILIES) {
      if (!GlobalFonts.has(family) && existsSync(FONT_FILES[family]))
        GlobalFonts.registerFromPath(FONT_FILES[family], family);
    }
    const installed = GlobalFonts.families.map(({ family }) => family);
    if (installed.length === 0) {
      throw new AppError(
        'unsupported_by_device',
        'This Device cannot show texts: it has no fonts. Install fonts-dejavu-core there.',
      );
    }
    const preferred = FAMILIES.filter((family) => installed.includes(family));
    return new TextPainter(canvas, [
      ...preferred,
      ...installed.filter((family) => !preferred.includes(family as never)),
    ]);
  }

  /** Characters of the text that this machine can only show as boxes. */
  missingIn(text: string): string[] {
    return this.glyphs.missingIn(text);
  }

  sheet(style: TextSpec, frame: FrameForm): TextSheet {
    const px = Math.max(4, style.size * pixelScale(frame));
    const name = `${px}px ${this.families}`;
    this.ruler.font = name;
    const { fontBoundingBoxAscent, fontBoundingBoxDescent } = this.ruler.measureText('Hg');
    const font = { px, name, ascent: fontBoundingBoxAscent, descent: fontBoundingBoxDescent };
    return new TextSheet(style, frame, font, {
      measure: (line) => this.widthOf(line, font),
      paint: (line) => this.paintLine(line, font, style.color),
    });
  }

  private widthOf(line: string, font: Font): number {
    this.ruler.font = font.name;
    return this.ruler.measureText(line).width;
  }

  private paintLine({ text, width }: Line, font: Font, color: string): Bitmap & { left: number; top: number } {
    const pad = Math.ceil(font.px * OUTLINE) + 1;
    this.ruler.font = font.name;
    // Marks stacked on a letter go beyond the font's own box; they are drawn up to twice the size.
    const { actualBoundingBoxAscent, actualBoundingBoxDescent } = this.ruler.measureText(text);
    const ascent = Math.ceil(Math.max(font.ascent, Math.min(actualBoundingBoxAscent, 2 * font.px)));
    const descent = Math.ceil(Math.max(font.descent, Math.min(actualBoundingBoxDescent, 2 * font.px)));
    const canvas = this.canvas.createCanvas(Math.ceil(width) + 2 * pad, ascent + descent + 2 * pad);
    const context = canvas.getContext('2d');
    context.font = font.name;
    context.direction = isRightToLeft(text) ? 'rtl' : 'ltr';
    context.textAlign = 'left';
    context.lineJoin = 'round';
    context.lineWidth = Math.max(1.5, font.px * OUTLINE);
    context.strokeStyle = isLight(color) ? 'rgba(0,0,0,0.85)' : 'rgba(255,255,255,0.85)';
    context.strokeText(text, pad, pad + ascent);
    context.fillStyle = color;
    context.fillText(text, pad, pad + ascent);
    return { ...premultiplied(canvas, context), left: pad, top: pad + ascent };
  }
}

interface Brush {
  measure(line: string): number;
  paint(line: Line): Bitmap & { left: number; top: number };
}

/** A text's place on the frame. Lines that stay the same are painted once, so a clock costs its own line only. */
export class TextSheet {
  private readonly position: TextSpec['position'];
  private readonly frame: FrameForm;
  private readonly font: Font;
  private readonly brush: Brush;
  private painted = new Map<string, Overlay | undefined>();

  constructor({ position }: TextSpec, frame: FrameForm, font: Font, brush: Brush) {
    this.position = position;
    this.frame = frame;
    this.font = font;
    this.brush = brush;
  }

  /** Wraps the text to the safe area, and leaves out what does not fit into it. */
  paint(text: string): Overlay[] {
    const area = safeArea(this.frame);
    const pitch = this.font.px * LINE_HEIGHT;
    const limits = {
      width: area.width,
      lines: Math.max(1, Math.floor(area.height / pitch)),
      measure: (line: string) => this.brush.measure(line),
    };
    const lines = wrapText(text, limits).map((line) => ({ text: line, width: this.brush.measure(line) }));
    const block = { width: Math.max(...lines.map(({ width }) => width)), height: lines.length * pitch };
    const corner = place(this.position, block, this.frame);
    const previous = this.painted;
    this.painted = new Map();
    const leading = (pitch - this.font.ascent - this.font.descent) / 2;
    return lines.flatMap((line, row) => {
      if (line.text.trim() === '') return [];
      const x = Math.round(corner.x + this.shift(block.width - line.width));
      const baseline = Math.round(corner.y + row * pitch + leading + this.font.ascent);
      const key = `${x} ${baseline} ${line.text}`;
      const overlay = previous.has(key) ? previous.get(key) : this.paintAt(line, x, baseline);
      this.painted.set(key, overlay);
      return overlay ?? [];
    });
  }

  private paintAt(line: Line, x: number, baseline: number): Overlay | undefined {
    const bitmap = this.brush.paint(line);
    return overlayOf(bitmap, { x: x - bitmap.left, y: baseline - bitmap.top }, this.frame);
  }

  private shift(room: number): number {
    if (this.position.endsWith('Left')) return 0;
    return this.position.endsWith('Right') ? room : room / 2;
  }
}

/** The first letter that has a direction decides (rule P2 of UAX #9). */
function isRightToLeft(text: string): boolean {
  const letter = /\p{L}/u.exec(text)?.[0];
  return letter !== undefined && RTL.test(letter);
}

function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 70;
}

function premultiplied(canvas: Canvas, context: SKRSContext2D): Bitmap {
  const { width, height } = canvas;
  const { data } = context.getImageData(0, 0, width, height);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3]!;
    if (alpha === 255 || alpha === 0) continue;
    for (let channel = at; channel < at + 3; channel += 1) data[channel] = (data[channel]! * alpha) / 255;
  }
  return { width, height, data: new Uint8Array(data.buffer, data.byteOffset, data.length) };
}
