// Loaded into each process of a Device: its wall clock is ahead by the milliseconds in the file that DRILL_CLOCK names.
import { readFileSync } from 'node:fs';

const RealDate = Date;
let aheadMs = 0;
setInterval(() => {
  try {
    aheadMs = Number(readFileSync(process.env.DRILL_CLOCK, 'utf8'));
  } catch {
    // It is being written.
  }
}, 50).unref();

globalThis.Date = class extends RealDate {
  constructor(...words) {
    if (words.length > 0) super(...words);
    else super(RealDate.now() + aheadMs);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};
