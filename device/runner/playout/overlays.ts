/** Lays logo and text over the programme's frames. */
import type { TextSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { Frame, FramePool } from '../../media/frames/frame-pool.ts';
import { blend, type Overlay } from '../../media/frames/overlay.ts';
import type { FrameForm } from '../../media/light/frame-form.ts';
import type { TextSheet } from '../../media/frames/text-painter.ts';
import { TextTokens } from '../../media/frames/text-tokens.ts';

/** A text on air. It is painted again only when its words change, which is looked for once a second. */
export class TextOverlay {
  readonly spec: TextSpec;
  private readonly sheet: TextSheet;
  private readonly tokens: TextTokens;
  private readonly isTimed: boolean;
  private second = Number.NaN;
  private tick = Number.NaN;
  private paintedText: string | undefined;
  private painted: Overlay[] = [];
  /** Start of the chronometer; undefined until the first frame shows it. */
  since: number | undefined;

  constructor(spec: TextSpec, sheet: TextSheet, tokens: TextTokens, since?: number) {
    this.spec = spec;
    this.sheet = sheet;
    this.tokens = tokens;
    this.isTimed = TextTokens.hasTokens(spec.text);
    this.since = since;
  }

  /** Returns the same array as long as nothing has changed. */
  at(now: number): Overlay[] {
    const since = this.since ?? now;
    // The wall clock and the chronometer change their second at different times.
    const [second, tick] = [Math.floor(now / 1000), Math.floor((now - since) / 1000)];
    if (this.paintedText !== undefined && (!this.isTimed || (second === this.second && tick === this.tick)))
      return this.painted;
    this.second = second;
    this.tick = tick;
    const text = this.tokens.expand(this.spec.text, now, since);
    if (text !== this.paintedText) this.painted = this.sheet.paint(text);
    this.paintedText = text;
    return this.painted;
  }
}

export interface Layers {
  logo: Overlay | undefined;
  text: TextOverlay | undefined;
}

const NONE: Overlay[] = [];

export class Overlays {
  private readonly pool: FramePool;
  private readonly form: FrameForm;
  private last: { base: Frame; logo: Overlay | undefined; text: Overlay[]; frame: Frame } | undefined;

  constructor(pool: FramePool, form: FrameForm) {
    this.pool = pool;
    this.form = form;
  }

  /**
   * Returns the frame with all layers on it: a copy, since the programme may show the same frame again. It is held until the next call, and
   * a frame that is repeated is blended once.
   */
  applyTo(base: Frame, layers: Layers, now: number): Frame {
    const text = layers.text?.at(now) ?? NONE;
    const { logo } = layers;
    if (logo === undefined && text.length === 0) {
      this.clear();
      return base;
    }
    const { last } = this;
    if (last?.base === base && last.logo === logo && last.text === text) return last.frame;
    this.clear();
    const frame = this.pool.acquire();
    base.bytes.copy(frame.bytes);
    if (logo !== undefined) blend(frame.bytes, this.form, logo);
    for (const line of text) blend(frame.bytes, this.form, line);
    this.last = { base, logo, text, frame };
    return frame;
  }

  clear(): void {
    this.last?.frame.release();
    this.last = undefined;
  }
}
