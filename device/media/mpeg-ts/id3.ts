/** ID3v2.4 tags (id3.org, "ID3 tag version 2.4.0", structure and native frames) as timed metadata of HLS carries them. */
export type Id3Frame =
  /** A text for programs that know the description. */
  | { id: 'TXXX'; description: string; value: string }
  /** Bytes of the owner, who is named by a URL or an e-mail address. */
  | { id: 'PRIV'; owner: string; data: Buffer };

const UTF8 = 3;
/** Sizes are four bytes of seven bits each. */
const MAX_BYTES = 2 ** 28 - 1;

/** Returns one tag, without padding. Throws RangeError for no frame at all, and for text with a NUL, which ends a string. */
export function id3Tag(frames: readonly Id3Frame[]): Buffer {
  if (frames.length === 0) throw new RangeError('A tag needs at least one frame.');
  const body = Buffer.concat(frames.map(frameBytes));
  return Buffer.concat([Buffer.from('ID3'), Buffer.from([4, 0, 0]), syncsafe(body.length), body]);
}

function frameBytes(frame: Id3Frame): Buffer {
  const body = frame.id === 'TXXX' ? textBody(frame) : Buffer.concat([terminated(frame.owner), frame.data]);
  return Buffer.concat([Buffer.from(frame.id), syncsafe(body.length), Buffer.from([0, 0]), body]);
}

function textBody({ description, value }: { description: string; value: string }): Buffer {
  return Buffer.concat([Buffer.from([UTF8]), terminated(description), terminated(value)]);
}

function terminated(text: string): Buffer {
  if (text.includes('\0')) throw new RangeError('A text in a tag cannot hold a NUL.');
  return Buffer.from(`${text}\0`);
}

function syncsafe(size: number): Buffer {
  if (size > MAX_BYTES) throw new RangeError(`${size} bytes are too much for a tag.`);
  return Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f));
}
