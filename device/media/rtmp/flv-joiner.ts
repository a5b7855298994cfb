/** Turns RTMP messages into an FLV stream (Adobe, Video File Format 10.1, annex E) that a reader can join at any time, at a keyframe. */
import type { RtmpMessage } from './rtmp-chunks.ts';

/** The header announces audio and video: the demuxer waits for both, and does without the one that does not come. */
const HEADER = Buffer.from([0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]);
/** AMF0 of the string '@setDataFrame', a word to the server that does not belong into the file. */
const SET_DATA_FRAME = Buffer.concat([Buffer.from([2, 0, 13]), Buffer.from('@setDataFrame')]);
const MAX_METADATA = 65_536;

export class FlvJoiner {
  /** Metadata and the decoder configurations, by message type. */
  private readonly heads = new Map<number, RtmpMessage>();
  private joined = false;

  /** The next message begins a new stream. */
  restart(): void {
    this.joined = false;
  }

  /** The next message comes from another pusher. */
  forget(): void {
    this.joined = false;
    this.heads.clear();
  }

  /**
   * Returns the tags that a reader gets for this message: none before it has joined. Without a reader only metadata and configurations are
   * kept.
   */
  tags(received: RtmpMessage, isRead = true): Buffer[] {
    const message = { ...received, body: received.type === 18 ? metadata(received.body) : received.body };
    if (message.body.length === 0) return [];
    const isHead = message.type === 18 ? message.body.length <= MAX_METADATA : isConfiguration(message);
    if (isHead) this.heads.set(message.type, message);
    if (!isRead) return [];
    if (this.joined) return [tag(message)];
    if (isHead || !this.mayJoin(message)) return [];
    this.joined = true;
    const heads = [18, 9, 8].flatMap((type) => this.heads.get(type) ?? []);
    return [HEADER, ...heads.map((head) => tag({ ...head, time: message.time })), tag(message)];
  }

  /** A stream with video is joined at a keyframe, one without at any audio. */
  private mayJoin({ type, body }: RtmpMessage): boolean {
    return type === 9 ? body[0]! >> 4 === 1 : type === 8 && !this.heads.has(9);
  }
}

function metadata(body: Buffer): Buffer {
  const leads = body.subarray(0, SET_DATA_FRAME.length).equals(SET_DATA_FRAME);
  return leads ? body.subarray(SET_DATA_FRAME.length) : body;
}

/** AVC (7) and AAC (10) begin with a configuration, marked by a zero. */
function isConfiguration({ type, body }: RtmpMessage): boolean {
  const coded = type === 9 ? (body[0]! & 15) === 7 : type === 8 && body[0]! >> 4 === 10;
  return coded && body[1] === 0;
}

function tag({ type, time, body }: RtmpMessage): Buffer {
  const bytes = Buffer.alloc(11 + body.length + 4);
  bytes[0] = type;
  bytes.writeUIntBE(body.length, 1, 3);
  bytes.writeUIntBE(time & 0xffffff, 4, 3);
  bytes[7] = time >>> 24;
  body.copy(bytes, 11);
  bytes.writeUInt32BE(11 + body.length, 11 + body.length);
  return bytes;
}
