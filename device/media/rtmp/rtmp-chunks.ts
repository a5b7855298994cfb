/** The chunk stream of RTMP 1.0 (Adobe, 2012, §5.3): messages cut into chunks, several of them at once. */

export interface RtmpMessage {
  type: number;
  /** Milliseconds, modulo 2^32. */
  time: number;
  stream: number;
  body: Buffer;
}

/** A keyframe of 4K at 50 Mbit/s stays under 2 MB. */
const MAX_MESSAGE = 4 << 20;
/** Bound of all messages that are under way at once. */
const MAX_PENDING = 8 << 20;
/** Encoders use four to eight. */
const MAX_CHUNK_STREAMS = 32;
/** This is the specification's least; smaller chunks cost more to read than they carry. */
const MIN_CHUNK = 128;
const HEADER_BYTES = [11, 7, 3, 0];

interface ChunkStream extends Omit<RtmpMessage, 'body'> {
  delta: number;
  length: number;
  extended: boolean;
  parts: Buffer[];
  missing: number;
}

export class ChunkReader {
  private readonly streams = new Map<number, ChunkStream>();
  private readonly onMessage: (message: RtmpMessage) => void;
  private rest: Buffer = Buffer.alloc(0);
  private chunkSize = 128;
  private pending = 0;
  /** Before a pusher is known, its messages are commands: small ones. */
  maxMessage = 65_536;

  constructor(onMessage: (message: RtmpMessage) => void) {
    this.onMessage = onMessage;
  }

  allowMedia(): void {
    this.maxMessage = MAX_MESSAGE;
  }

  /** Throws RangeError for bytes that no encoder sends. */
  push(bytes: Buffer): void {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    for (;;) {
      const used = this.chunk(this.rest);
      if (used === 0) return;
      this.rest = this.rest.subarray(used);
    }
  }

  /** Reads one chunk from the start of `bytes`; returns its length, and 0 when it is not all there. */
  private chunk(bytes: Buffer): number {
    if (bytes.length < 3) return 0;
    const format = bytes[0]! >> 6;
    const low = bytes[0]! & 63;
    const id = low === 0 ? bytes[1]! + 64 : low === 1 ? bytes.readUInt16LE(1) + 64 : low;
    const from = low === 0 ? 2 : low === 1 ? 3 : 1;
    let at = from + HEADER_BYTES[format]!;
    const known = this.streams.get(id);
    if (known === undefined && format !== 0) throw new RangeError('A chunk refers to a header that was never sent.');
    if (bytes.length < at) return 0;
    const field = format < 3 ? bytes.readUIntBE(from, 3) : 0;
    const extended = format < 3 ? field === 0xffffff : known!.extended;
    if (extended) at += 4;
    if (bytes.length < at) return 0;
    const length = format < 2 ? bytes.readUIntBE(from + 3, 3) : known!.length;
    const fresh = known === undefined || known.missing === 0;
    if (!fresh && format !== 3) throw new RangeError('A message begins inside another one.');
    if (length > this.maxMessage) throw new RangeError(`A message of ${length} bytes is too large.`);
    const take = Math.min(this.chunkSize, fresh ? length : known.missing);
    if (bytes.length < at + take) return 0;

    const stream = known ?? this.open(id);
    if (fresh) {
      const time = extended ? bytes.readUInt32BE(at - 4) : field;
      // After a full header the specification takes its time as the next delta; encoders and servers in the field take none.
      if (format === 0) Object.assign(stream, { time, delta: 0, stream: bytes.readUInt32LE(from + 7) });
      else if (format < 3) stream.delta = time;
      if (format > 0) stream.time = (stream.time + stream.delta) >>> 0;
      if (format < 2) stream.type = bytes[from + 6]!;
      Object.assign(stream, { length, extended, missing: length, parts: [] });
    }
    // The part is copied, because it must not keep the whole buffer of the socket alive.
    if (take > 0) stream.parts.push(Buffer.from(bytes.subarray(at, at + take)));
    stream.missing -= take;
    this.pending += take;
    if (this.pending > MAX_PENDING) throw new RangeError('Too many messages are under way at once.');
    if (stream.missing === 0) this.complete(stream);
    return at + take;
  }

  private open(id: number): ChunkStream {
    if (this.streams.size >= MAX_CHUNK_STREAMS) throw new RangeError('Too many chunk streams.');
    const stream = { type: 0, time: 0, stream: 0, delta: 0, length: 0, extended: false, parts: [], missing: 0 };
    this.streams.set(id, stream);
    return stream;
  }

  private complete(stream: ChunkStream): void {
    const body = stream.parts.length === 1 ? stream.parts[0]! : Buffer.concat(stream.parts);
    stream.parts = [];
    this.pending -= body.length;
    if (stream.type === 1) this.resize(body);
    else if (stream.type === 2) this.abort(body);
    else this.onMessage({ type: stream.type, time: stream.time, stream: stream.stream, body });
  }

  private resize(body: Buffer): void {
    const size = body.readUInt32BE(0);
    if (size < MIN_CHUNK || size > MAX_MESSAGE) throw new RangeError(`Chunks of ${size} bytes are out of bounds.`);
    this.chunkSize = size;
  }

  private abort(body: Buffer): void {
    const stream = this.streams.get(body.readUInt32BE(0));
    if (stream === undefined) return;
    this.pending -= stream.parts.reduce((sum, part) => sum + part.length, 0);
    Object.assign(stream, { parts: [], missing: 0 });
  }
}

/** Times from here on stand behind the header, in four bytes. */
const EXTENDED_TIME = 0xffffff;

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
  const timeBytes = isLong ? 4 : 0;
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
