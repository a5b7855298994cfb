/** Reads FLV (Adobe, Video File Format 10.1, annex E): a file as it comes, or the tags of an aggregate message of RTMP. */
import { MAX_MESSAGE, TAG_END_BYTES, TAG_HEAD_BYTES, type RtmpMessage } from './rtmp-chunks.ts';

const SIGNATURE = Buffer.from('FLV');
const FILE_HEADER_BYTES = 13;

export class FlvTags {
  private readonly onMessage: (message: RtmpMessage) => void;
  private hasHeader: boolean;
  private rest: Buffer = Buffer.alloc(0);

  constructor(onMessage: (message: RtmpMessage) => void, hasHeader = true) {
    this.onMessage = onMessage;
    this.hasHeader = hasHeader;
  }

  /** Throws TypeError for what is no FLV, and RangeError for a tag that is out of bounds. */
  push(chunk: Buffer): void {
    let data = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    if (this.hasHeader) {
      if (data.length < FILE_HEADER_BYTES) return void (this.rest = Buffer.from(data));
      if (!data.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new TypeError('This is no FLV.');
      this.hasHeader = false;
      data = data.subarray(FILE_HEADER_BYTES);
    }
    let at = 0;
    while (data.length - at >= TAG_HEAD_BYTES) {
      const length = data.readUIntBE(at + 1, 3);
      if (length > MAX_MESSAGE) throw new RangeError(`A tag of ${length} bytes is too large.`);
      const from = at + TAG_HEAD_BYTES;
      const end = from + length + TAG_END_BYTES;
      if (data.length < end) break;
      const time = data[at + 7]! * 2 ** 24 + data.readUIntBE(at + 4, 3);
      this.onMessage({ type: data[at]! & 31, time, stream: 0, body: data.subarray(from, from + length) });
      at = end;
    }
    this.rest = Buffer.from(data.subarray(at));
  }
}
