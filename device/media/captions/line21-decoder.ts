/** Decodes the captions of one field of line 21 (CEA-608-E, 47 CFR 79.101): two channels of text. Text mode and XDS are passed over. */
import type { CaptionBlock } from './caption-block.ts';
import { isCommand, isEmptyPair, withParity } from './cc-data.ts';
import { basicCharacter, extendedCharacter, specialCharacter } from './line21-characters.ts';
import { Line21Channel } from './line21-channel.ts';

export interface Line21Hooks {
  /** `channel` 0 or 1 shows this now. `isGrowing`: text is being written where viewers see it. */
  onShown(channel: 0 | 1, blocks: CaptionBlock[], isGrowing: boolean): void;
}

/** PAC: rows from 0, by the last three bits of the first byte and bit 5 of the second (CEA-608-E table 53). */
const PAC_ROWS = [
  [10, 10],
  [0, 1],
  [2, 3],
  [11, 12],
  [13, 14],
  [4, 5],
  [6, 7],
  [8, 9],
] as const;

export class Line21Decoder {
  private readonly hooks: Line21Hooks;
  private readonly channels = [new Line21Channel(), new Line21Channel()] as const;
  private current: 0 | 1 = 0;
  /** Characters go nowhere before the first command, in text mode and within XDS. */
  private isCaption = false;
  private last: readonly [number, number] | undefined;

  constructor(hooks: Line21Hooks) {
    this.hooks = hooks;
  }

  /** Takes a pair with its parity bits; one that was damaged on its way is passed over. */
  push(rawA: number, rawB: number): void {
    const { last } = this;
    this.last = undefined;
    if (rawA !== withParity(rawA) || rawB !== withParity(rawB) || isEmptyPair(rawA, rawB)) return;
    const [a, b] = [rawA & 0x7f, rawB & 0x7f];
    if (isCommand(a)) {
      // The second of two equal commands counts for nothing, a third one counts again.
      if (last?.[0] === a && last[1] === b) return;
      this.last = [a, b];
      this.command(a, b);
    } else if (a !== 0 && a < 0x10) {
      // XDS (CEA-608-E §9) goes on until the next command of captions.
      this.isCaption = false;
    } else if (this.isCaption) {
      const channel = this.channels[this.current];
      for (const code of [a, b]) if (code >= 0x20) channel.put(basicCharacter(code));
      this.tell(channel.isShowing, true);
    }
  }

  /** Forgets everything: another source comes. */
  reset(): void {
    this.last = undefined;
    this.isCaption = false;
    for (const channel of this.channels) channel.reset();
  }

  private command(a: number, b: number): void {
    if (b < 0x20) return;
    this.current = (a & 0x08) === 0 ? 0 : 1;
    const channel = this.channels[this.current];
    const set = a & 0x17;
    // Bit 0 tells the fields apart, and some encoders leave it out.
    if ((set === 0x14 || set === 0x15) && b < 0x30) return this.control(b);
    if (!this.isCaption) return;
    if (b >= 0x40) {
      const row = PAC_ROWS[a & 0x07]![(b & 0x20) >> 5]!;
      channel.place(row, b & 0x1f);
      return this.tell(channel.isRollUp, false);
    }
    if (set === 0x11 && b < 0x30) channel.midRow(b & 0x0f);
    else if (set === 0x11) channel.put(specialCharacter(b));
    else if (set === 0x12 || set === 0x13) {
      // A plain character for decoders that do not know the extended one comes before it.
      channel.back();
      channel.put(extendedCharacter(set, b));
    } else if (set === 0x17 && b <= 0x23) channel.tab(b & 0x03);
    else return;
    this.tell(channel.isShowing, true);
  }

  private control(b: number): void {
    const channel = this.channels[this.current];
    // Text mode.
    if (b === 0x2a || b === 0x2b) {
      this.isCaption = false;
      return;
    }
    if (b === 0x2c) {
      channel.eraseShown();
      return this.tell(true, false);
    }
    if (b === 0x2e) return channel.eraseHidden();
    if ([0x20, 0x25, 0x26, 0x27, 0x29, 0x2f].includes(b)) this.isCaption = true;
    if (!this.isCaption) return;
    const isGrowing = b === 0x21 || b === 0x24;
    channel.control(b);
    this.tell(!isGrowing || channel.isShowing, isGrowing);
  }

  private tell(isSeen: boolean, isGrowing: boolean): void {
    if (isSeen) this.hooks.onShown(this.current, this.channels[this.current].shown, isGrowing);
  }
}
