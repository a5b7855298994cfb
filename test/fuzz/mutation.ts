/** New inputs from known ones. Everything comes from one seed, so that a search can be done again. */
import { MAX_BYTES } from './target.ts';

/** Whole numbers from 0 to below `bound`. */
export type Random = (bound: number) => number;

/** mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

/** Values at which fields and loops have their edges. */
const EDGES = [0, 1, 2, 3, 16, 32, 64, 127, 128, 254, 255];

/** `parent`, changed one to eight times; `other` lends parts, `words` are what the parser compares with. */
export function mutated(parent: Buffer, other: Buffer, words: readonly Buffer[], random: Random): Buffer {
  let bytes: Buffer = Buffer.from(parent);
  for (let changes = 1 << random(4); changes > 0; changes -= 1) bytes = changed(bytes, other, words, random);
  return bytes.subarray(0, MAX_BYTES);
}

function changed(bytes: Buffer, other: Buffer, words: readonly Buffer[], random: Random): Buffer {
  const at = random(bytes.length + 1);
  const span = Math.min(bytes.length - at, 1 + random(random(4) === 0 ? 512 : 8));
  const insert = (part: Buffer): Buffer => Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
  const write = (part: Buffer): Buffer => {
    bytes.set(part.subarray(0, bytes.length - at), at);
    return bytes;
  };
  const word = (): Buffer => words[random(words.length)] ?? Buffer.from([random(256)]);
  switch (random(12)) {
    case 0:
      return write(Buffer.from([(bytes[at] ?? 0) ^ (1 << random(8))]));
    case 1:
      return write(Buffer.from([random(256)]));
    case 2:
      return write(Buffer.from([EDGES[random(EDGES.length)]!]));
    case 3:
      return write(Buffer.from([(bytes[at] ?? 0) + random(33) - 16]));
    case 4:
      return write(word());
    case 5:
      return insert(word());
    case 6:
      return insert(Buffer.alloc(span, random(2) === 0 ? 0 : random(256)));
    case 7:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + span)]);
    case 8:
      // Once more, up to sixteen times: what is paid for each entry shows where there are many.
      return insert(Buffer.concat(Array.from({ length: 1 << random(5) }, () => bytes.subarray(at, at + span))));
    case 9:
      return write(bytes.subarray(random(bytes.length + 1)).subarray(0, span));
    case 10: {
      const from = random(other.length + 1);
      return insert(other.subarray(from, from + 1 + random(512)));
    }
    default:
      return bytes.subarray(0, at);
  }
}
