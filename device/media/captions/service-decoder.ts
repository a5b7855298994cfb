/** Decodes the text of one service of CEA-708: its windows, their text and pens. Sizes, fonts, fills and effects are passed over. */
import type { CaptionBlock } from './caption-block.ts';
import { ServiceWindow } from './service-window.ts';

/** Bytes behind a command of C1 (CEA-708-E §8.10.5), from 0x88 on; 0x98 and higher define windows. */
const C1_BYTES = [1, 1, 1, 1, 1, 1, 0, 0, 2, 3, 2, 0, 0, 0, 0, 4];
const DEFINE_BYTES = 6;
/** Characters of G2, CEA-708-E table 18; others of it do not exist. */
const G2: Record<number, string> = {
  0x20: '\u00a0',
  0x21: '\u00a0',
  0x25: '…',
  0x2a: 'Š',
  0x2c: 'Œ',
  0x30: '█',
  0x31: '‘',
  0x32: '’',
  0x33: '“',
  0x34: '”',
  0x35: '•',
  0x39: '™',
  0x3a: 'š',
  0x3c: 'œ',
  0x3d: '℠',
  0x3f: 'Ÿ',
  0x76: '⅛',
  0x77: '⅜',
  0x78: '⅝',
  0x79: '⅞',
  0x7a: '│',
  0x7b: '┐',
  0x7c: '└',
  0x7d: '─',
  0x7e: '┘',
  0x7f: '┌',
};
const MUSIC = 0x7f;

export class ServiceDecoder {
  private readonly windows: (ServiceWindow | undefined)[] = [];
  private current: number | undefined;
  private isGrowing = true;

  /** Takes a service block; no command goes beyond its end. Returns what is shown then, and whether text alone has been added. */
  push(block: Buffer): { blocks: CaptionBlock[]; isGrowing: boolean } {
    this.isGrowing = true;
    for (let at = 0; at < block.length;) at += this.take(block, at);
    return { blocks: this.shown, isGrowing: this.isGrowing };
  }

  reset(): void {
    this.windows.length = 0;
    this.current = undefined;
  }

  private get shown(): CaptionBlock[] {
    return this.windows.flatMap((window) => (window?.isVisible === true ? (window.block ?? []) : []));
  }

  private get window(): ServiceWindow | undefined {
    return this.current === undefined ? undefined : this.windows[this.current];
  }

  /** Returns the number of bytes that have been read. */
  private take(block: Buffer, at: number): number {
    const code = block[at]!;
    if (code === 0x10) return this.extended(block, at + 1) + 1;
    if (code < 0x20) {
      this.control(code);
      // Of 16-bit characters (P16) there is no table.
      return code < 0x10 ? 1 : code < 0x18 ? 2 : 3;
    }
    if (code < 0x80) this.window?.put(code === MUSIC ? '♪' : String.fromCharCode(code));
    else if (code >= 0xa0) this.window?.put(String.fromCharCode(code));
    else return this.command(code, block.subarray(at + 1)) + 1;
    return 1;
  }

  private extended(block: Buffer, at: number): number {
    const code = block[at] ?? 0;
    if (code < 0x20) return 1 + (code >> 3);
    if (code < 0x80) this.window?.put(G2[code] ?? '_');
    else if (code < 0x88) return 5;
    else if (code < 0x90) return 6;
    else if (code < 0xa0) return 2 + ((block[at + 1] ?? 0) & 0x3f);
    else this.window?.put(code === 0xa0 ? '[CC]' : '_');
    return 1;
  }

  private control(code: number): void {
    const { window } = this;
    if (code === 0x08) window?.back();
    if (code !== 0x0c && code !== 0x0d && code !== 0x0e) return;
    this.isGrowing = false;
    if (code === 0x0c) window?.clear();
    else if (code === 0x0d) window?.carriageReturn();
    else window?.clearRow();
  }

  /** Returns the number of bytes behind the code. */
  private command(code: number, bytes: Buffer): number {
    const length = code < 0x88 ? 0 : code >= 0x98 ? DEFINE_BYTES : C1_BYTES[code - 0x88]!;
    if (bytes.length < length) return length;
    if (code < 0x88) this.current = code & 7;
    else if (code >= 0x98) this.define(code & 7, bytes);
    else if (code === 0x8f) this.all((i) => delete this.windows[i]);
    else if (code <= 0x8c) this.each(code, bytes[0]!);
    else if (code === 0x90) this.window?.penStyle(bytes[1]!);
    else if (code === 0x91) this.window?.penColour(bytes[0]!);
    else if (code === 0x92) this.window?.penTo(bytes[0]! & 0x0f, bytes[1]! & 0x3f);
    return length;
  }

  private define(id: number, bytes: Buffer): void {
    const wasVisible = this.windows[id]?.isVisible === true;
    const window = (this.windows[id] ??= new ServiceWindow());
    window.define(bytes);
    this.current = id;
    if (wasVisible !== window.isVisible) this.isGrowing = false;
  }

  /** Clears, displays, hides, toggles or deletes the windows whose bits are set. */
  private each(code: number, bits: number): void {
    this.all((i) => {
      const window = this.windows[i];
      if (window === undefined || (bits & (1 << i)) === 0) return;
      if (code === 0x88) window.clear();
      else if (code === 0x89) window.isVisible = true;
      else if (code === 0x8a) window.isVisible = false;
      else if (code === 0x8b) window.isVisible = !window.isVisible;
      else delete this.windows[i];
    });
  }

  private all(task: (i: number) => void): void {
    this.isGrowing = false;
    for (let i = 0; i < 8; i += 1) task(i);
  }
}
