/** The chunk stream of RTMP 1.0 (Adobe, 2012, §5.3): messages cut into chunks, several of them at once. */

export interface RtmpMessage {
  type: number;
  /** Milliseconds, modulo 2^32. */
  time: number;
  stream: number;
  body: Buffer;
  /** The body with room for the rest of an FLV tag: TAG_HEAD_BYTES before it, and TAG_END_BYTES behind it. */
  frame?: Buffer | undefined;
}

/** Header of an FLV tag, and the length behind it (Adobe, Video File Format 10.1, §E.4.1). */
export const TAG_HEAD_BYTES = 11;
export const TAG_END_BYTES = 4;

/** A keyframe of 4K at 50 Mbit/s stays under 2 MB. */
export const MAX_MESSAGE = 4 << 20;
/** Bound of all messages that are under way at once, by the lengths that they announce. */
const MAX_PENDING = 8 << 20;
/** The same of commands, one of which is some hundred bytes. */
const MAX_COMMANDS = 65_536;
/** Encoders use four to eight. */
const MAX_CHUNK_STREAMS = 32;
/** The specification gives the size of chunks 31 bits; above the greatest length of a message all sizes are one. */
const MAX_CHUNK = 0x7fffffff;
/** Times from here on stand behind the header, in four bytes. */
const EXTENDED_TIME = 0xffffff;
const TIME_BYTES = 4;
const HEADER_BYTES = [11, 7, 3, 0];
const MAX_HEADER = 3 + 11 + TIME_BYTES;

interface ChunkStream extends Omit<RtmpMessage, 'body'> {
  delta: number;
  length: number;
  /** The time of the last header that had it in four bytes; undefined when it had not. */
  extendedTime: number | undefined;
  /** The message that is under way, and its bytes that have come. */
  body: Buffer | undefined;
  filled: number;
}

/** Each byte is copied once, into its message, as it comes: nothing waits for the rest of a chunk. */
export class ChunkReader {
  private readonly streams = new Map<number, ChunkStream>();
  private readonly onMessage: (message: RtmpMessage) => void;
  private readonly header = Buffer.alloc(MAX_HEADER);
  private headerBytes = 0;
  /** The chunk behind its header; undefined while a header comes. */
  private chunk: ChunkStream | undefined;
  /** Bytes of the chunk that are still to come. */
  private missing = 0;
  /** Bytes behind a header that are those of its time so far; with all of them, the time is there. */
  private timeBytes = TIME_BYTES;
  /** The sender did so the last time that one could tell. */
  private repeatsTime = true;
  private chunkSize = 128;
  private pending = 0;
  /** Before a pusher is known, its messages are commands, and so are all of a server: small ones. */
  private maxMessage = MAX_COMMANDS;
  private maxPending = MAX_COMMANDS;

  constructor(onMessage: (message: RtmpMessage) => void) {
    this.onMessage = onMessage;
  }

  allowMedia(): void {
    [this.maxMessage, this.maxPending] = [MAX_MESSAGE, MAX_PENDING];
  }

  /** Throws RangeError for bytes that no encoder sends. */
  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      if (this.chunk === undefined) at = this.readHeader(bytes, at);
      else if (this.timeBytes < TIME_BYTES) at = this.readRepeatedTime(this.chunk, bytes, at);
      else at = this.readPayload(this.chunk, bytes, at);
    }
  }

  private readHeader(bytes: Buffer, from: number): number {
    let at = from;
    for (;;) {
      const length = this.headerLength();
      if (this.headerBytes === length) break;
      if (at === bytes.length) return at;
      while (this.headerBytes < length && at < bytes.length) this.header[this.headerBytes++] = bytes[at++]!;
    }
    this.headerBytes = 0;
    this.begin();
    return at;
  }

  /** The length of the header as far as its first bytes tell. */
  private headerLength(): number {
    const { header, headerBytes } = this;
    if (headerBytes === 0) return 1;
    const basic = basicBytes(header);
    if (headerBytes < basic) return basic;
    const format = header[0]! >> 6;
    const length = basic + HEADER_BYTES[format]!;
    if (format === 3 || headerBytes < length) return length;
    return header.readUIntBE(basic, 3) === EXTENDED_TIME ? length + TIME_BYTES : length;
  }

  /** The header is whole. */
  private begin(): void {
    const { header } = this;
    const format = header[0]! >> 6;
    const stream = this.streamOf(chunkStreamId(header), format);
    if (stream.body === undefined) this.beginMessage(stream, format);
    else if (format !== 3) throw new RangeError('A message begins inside another one.');
    this.chunk = stream;
    this.missing = Math.min(this.chunkSize, stream.length - stream.filled);
    this.timeBytes = format === 3 && stream.extendedTime !== undefined ? 0 : TIME_BYTES;
    if (this.missing === 0 && (this.timeBytes > 0 || !this.repeatsTime)) this.endChunk(stream);
  }

  private streamOf(id: number, format: number): ChunkStream {
    const known = this.streams.get(id);
    if (known !== undefined) return known;
    // Some encoders begin with the shorter header, which leaves out a message stream of 0.
    if (format > 1) throw new RangeError('A chunk refers to a header that was never sent.');
    if (this.streams.size >= MAX_CHUNK_STREAMS) throw new RangeError('Too many chunk streams.');
    const none = { extendedTime: undefined, body: undefined, frame: undefined };
    const stream = { type: 0, time: 0, stream: 0, delta: 0, length: 0, filled: 0, ...none };
    this.streams.set(id, stream);
    return stream;
  }

  private beginMessage(stream: ChunkStream, format: number): void {
    const { header } = this;
    const from = basicBytes(header);
    if (format < 3) {
      const field = header.readUIntBE(from, 3);
      stream.extendedTime = field === EXTENDED_TIME ? header.readUInt32BE(from + HEADER_BYTES[format]!) : undefined;
      const time = stream.extendedTime ?? field;
      // After a full header the specification takes its time as the next delta; encoders and servers in the field take none.
      stream.delta = format === 0 ? 0 : time;
      if (format === 0) stream.time = time;
    }
    if (format === 0) stream.stream = header.readUInt32LE(from + 7);
    else stream.time = (stream.time + stream.delta) >>> 0;
    if (format < 2) {
      stream.length = header.readUIntBE(from + 3, 3);
      stream.type = header[from + 6]!;
    }
    const { length } = stream;
    if (length > this.maxMessage) throw new RangeError(`A message of ${length} bytes is too large.`);
    this.pending += length;
    if (this.pending > this.maxPending) throw new RangeError('Too many messages are under way at once.');
    stream.frame = Buffer.allocUnsafe(TAG_HEAD_BYTES + length + TAG_END_BYTES);
    stream.body = stream.frame.subarray(TAG_HEAD_BYTES, TAG_HEAD_BYTES + length);
  }

  /**
   * The specification repeats a time of four bytes in each chunk of the message, and some encoders do not: it is there when the bytes that
   * come are its own. A rest of a message that is shorter than that, and the same so far, is what the sender's last one was.
   */
  private readRepeatedTime(stream: ChunkStream, bytes: Buffer, at: number): number {
    const time = stream.extendedTime!;
    if (bytes[at] === ((time >>> (24 - 8 * this.timeBytes)) & 0xff)) {
      this.timeBytes += 1;
      if (this.timeBytes === TIME_BYTES) {
        this.repeatsTime = true;
        if (this.missing === 0) this.endChunk(stream);
      } else if (this.timeBytes === this.missing && !this.repeatsTime) this.takeAsPayload(time);
      return at + 1;
    }
    this.repeatsTime = false;
    this.takeAsPayload(time);
    return at;
  }

  /** The first bytes of `time` that have come were none of it. */
  private takeAsPayload(time: number): void {
    const bytes = Buffer.alloc(TIME_BYTES);
    bytes.writeUInt32BE(time);
    const came = bytes.subarray(0, this.timeBytes);
    this.timeBytes = TIME_BYTES;
    if (this.missing === 0) this.endChunk(this.chunk!);
    this.push(came);
  }

  private readPayload(stream: ChunkStream, bytes: Buffer, at: number): number {
    const copied = bytes.copy(stream.body!, stream.filled, at, at + this.missing);
    stream.filled += copied;
    this.missing -= copied;
    if (this.missing === 0) this.endChunk(stream);
    return at + copied;
  }

  private endChunk(stream: ChunkStream): void {
    this.chunk = undefined;
    const { type, time, stream: messageStream, body, frame } = stream;
    if (body === undefined || stream.filled < body.length) return;
    this.drop(stream);
    if (type === 1) this.resize(body);
    else if (type === 2) this.abort(body);
    else this.onMessage({ type, time, stream: messageStream, body, frame });
  }

  private resize(body: Buffer): void {
    const size = body.readUInt32BE(0);
    if (size === 0 || size > MAX_CHUNK) throw new RangeError(`Chunks of ${size} bytes are out of bounds.`);
    this.chunkSize = size;
  }

  private abort(body: Buffer): void {
    const stream = this.streams.get(body.readUInt32BE(0));
    if (stream !== undefined) this.drop(stream);
  }

  private drop(stream: ChunkStream): void {
    this.pending -= stream.body?.length ?? 0;
    stream.body = undefined;
    stream.frame = undefined;
    stream.filled = 0;
  }
}

/** Bytes of the basic header, which has the number of the chunk stream. */
function basicBytes(header: Buffer): number {
  const low = header[0]! & 63;
  return low === 0 ? 2 : low === 1 ? 3 : 1;
}

function chunkStreamId(header: Buffer): number {
  const low = header[0]! & 63;
  return low === 0 ? header[1]! + 64 : low === 1 ? header.readUInt16LE(1) + 64 : low;
}

/** Writes a message of ours in chunks of `chunkSize`, at time 0, because commands have none. */
export function writeChunks({ type, stream, body }: Omit<RtmpMessage, 'time'>, id: number, chunkSize: number): Buffer {
  return chunksOf({ type, stream, body, time: 0 }, id, chunkSize, false);
}

/** Writes messages that have times: the first on a chunk stream with its time, others with the time since the one before. */
export class ChunkWriter {
  private readonly chunkSize: number;
  private readonly times = new Map<number, number>();

  constructor(chunkSize: number) {
    this.chunkSize = chunkSize;
  }

  write(message: RtmpMessage, id: number): Buffer {
    const before = this.times.get(id);
    this.times.set(id, message.time);
    const isLater = before !== undefined && message.time >= before;
    const time = isLater ? message.time - before : message.time % 2 ** 32;
    return chunksOf({ ...message, time }, id, this.chunkSize, isLater);
  }
}

/** With `isLater` the time is one since the message before, on the same message stream. */
function chunksOf({ type, stream, body, time }: RtmpMessage, id: number, chunkSize: number, isLater: boolean): Buffer {
  const isLong = time >= EXTENDED_TIME;
  const timeBytes = isLong ? TIME_BYTES : 0;
  const from = 1 + HEADER_BYTES[isLater ? 1 : 0]!;
  const more = Math.max(0, Math.ceil(body.length / chunkSize) - 1);
  const bytes = Buffer.allocUnsafe(from + timeBytes + body.length + more * (1 + timeBytes));
  bytes[0] = (isLater ? 0x40 : 0) | id;
  bytes.writeUIntBE(isLong ? EXTENDED_TIME : time, 1, 3);
  bytes.writeUIntBE(body.length, 4, 3);
  bytes[7] = type;
  if (!isLater) bytes.writeUInt32LE(stream, 8);
  let at = from;
  for (let part = 0; part <= more; part += 1) {
    if (part > 0) bytes[at++] = 0xc0 | id;
    if (isLong) at = bytes.writeUInt32BE(time, at);
    at += body.copy(bytes, at, part * chunkSize, (part + 1) * chunkSize);
  }
  return bytes;
}
