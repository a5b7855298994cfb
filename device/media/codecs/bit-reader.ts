/** Bits, most significant first, with Exp-Golomb codes (ITU-T H.264 §9.1). */
export class BitReader {
  private readonly data: Buffer;
  /** Positions in `data` before which an emulation prevention byte was taken out. */
  private readonly removedBefore: number[] = [];
  private position = 0;

  /** A NAL unit has no start code before it; emulation prevention bytes (00 00 03) are taken out here, which `plain` data has none of. */
  constructor(nal: Buffer, form: 'nal' | 'plain' = 'nal') {
    if (form === 'plain') {
      this.data = nal;
      return;
    }
    const kept: number[] = [];
    let zeros = 0;
    for (const byte of nal) {
      if (zeros >= 2 && byte === 3) {
        zeros = 0;
        this.removedBefore.push(kept.length);
        continue;
      }
      zeros = byte === 0 ? zeros + 1 : 0;
      kept.push(byte);
    }
    this.data = Buffer.from(kept);
  }

  /** Reads up to 32 bits. Throws RangeError past the end. */
  bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i += 1) {
      const byte = this.data[this.position >> 3];
      if (byte === undefined) throw new RangeError('The parameter set ends too early.');
      value = value * 2 + ((byte >> (7 - (this.position & 7))) & 1);
      this.position += 1;
    }
    return value;
  }

  /** Whole bytes of the NAL unit that have been read, emulation prevention included. */
  get bytesRead(): number {
    const bytes = Math.ceil(this.position / 8);
    return bytes + this.removedBefore.filter((at) => at < bytes).length;
  }

  flag(): boolean {
    return this.bits(1) === 1;
  }

  /** Throws RangeError past the end: counts come from the stream, and a position above 2^32 would be taken for one within the data. */
  skip(count: number): void {
    if (count > this.data.length * 8 - this.position) throw new RangeError('The parameter set ends too early.');
    this.position += count;
  }

  unsigned(): number {
    let zeros = 0;
    while (zeros < 32 && !this.flag()) zeros += 1;
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  signed(): number {
    const code = this.unsigned();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}
