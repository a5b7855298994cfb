/** Encrypts samples by ISO/IEC 23001-7: `cenc` is AES-CTR (§10.1), `cbcs` AES-CBC in a pattern with a constant IV (§10.4). */
import { createCipheriv, randomBytes } from 'node:crypto';
import type { Subsample } from '../codecs/sample-map.ts';

export interface TrackKey {
  scheme: 'cenc' | 'cbcs';
  /** Key id and key have 16 bytes each. */
  keyId: Buffer;
  key: Buffer;
  /** IV of cbcs; cenc makes its own for each sample. */
  constantIv: Buffer | undefined;
}

const BLOCK = 16;
/** cbcs encrypts one block of ten of a video slice (§10.4.2); in other tracks every whole block (§9.7). */
export const PATTERN = { crypt: 1, skip: 9 };

export class SampleCipher {
  private readonly key: TrackKey;
  /**
   * The IV of cenc for the next sample, which must never come twice under one key (§9.2). Another attempt, track or run may use the same
   * key and knows nothing of this one, so each begins somewhere among 2^64.
   */
  private counter = randomBytes(8).readBigUInt64BE();

  /** Throws RangeError for a cbcs key without its IV. */
  constructor(key: TrackKey) {
    if (key.scheme === 'cbcs' && key.constantIv === undefined) throw new RangeError('cbcs needs a constant IV.');
    this.key = key;
  }

  get scheme(): TrackKey['scheme'] {
    return this.key.scheme;
  }

  /** Encrypts in place; without a map the whole sample. Returns the IV of the sample; undefined for a constant one. */
  encrypt(sample: Buffer, map: readonly Subsample[] | undefined): Buffer | undefined {
    const ranges = rangesOf(sample, map);
    if (this.key.scheme === 'cbcs') {
      // §9.5.1: the constant IV begins anew with each subsample.
      for (const range of ranges) this.chain(range, map === undefined ? 1 : PATTERN.crypt + PATTERN.skip);
      return undefined;
    }
    const iv = Buffer.alloc(8);
    iv.writeBigUInt64BE(this.counter);
    this.counter = BigInt.asUintN(64, this.counter + 1n);
    // The low half of the counter block counts blocks.
    const cipher = createCipheriv('aes-128-ctr', this.key.key, Buffer.concat([iv, Buffer.alloc(8)]));
    for (const range of ranges) cipher.update(range).copy(range);
    return iv;
  }

  /** Encrypts the first of every `step` whole blocks; an incomplete block stays as it is. */
  private chain(range: Buffer, step: number): void {
    const blocks = Math.ceil(Math.floor(range.length / BLOCK) / step);
    const stride = step * BLOCK;
    // The blocks are gathered first: a call of the cipher for each would cost ten times as much as the cipher.
    const gathered = Buffer.allocUnsafe(blocks * BLOCK);
    for (let i = 0; i < blocks; i += 1) range.copy(gathered, i * BLOCK, i * stride, i * stride + BLOCK);
    const cipher = createCipheriv('aes-128-cbc', this.key.key, this.key.constantIv!).setAutoPadding(false);
    const encrypted = cipher.update(gathered);
    for (let i = 0; i < blocks; i += 1) encrypted.copy(range, i * stride, i * BLOCK, (i + 1) * BLOCK);
  }
}

function rangesOf(sample: Buffer, map: readonly Subsample[] | undefined): Buffer[] {
  if (map === undefined) return [sample];
  let at = 0;
  return map.map(({ clear, cipher }) => {
    const range = sample.subarray(at + clear, at + clear + cipher);
    at += clear + cipher;
    return range;
  });
}
