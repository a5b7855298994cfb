/** Reads FLV (Adobe, Video File Format 10.1, annex E): a file as it comes, or the tags of an aggregate message of RTMP. */
import { MAX_MESSAGE, type RtmpMessage } from './rtmp-chunks.ts';

const SIGNATURE = Buffer.from('FLV');
const FILE_HEADER_BYTES = 13;
const TAG_BYTES = 11;
/** The length of the tag before stands behind each. */
const LENGTH_BYTES = 4;

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
    while (data.length >= TAG_BYTES) {
      const length = data.readUIntBE(1, 3);
      if (length > MAX_MESSAGE) throw new RangeError(`A tag of ${length} bytes is too large.`);
      const end = TAG_BYTES + length + LENGTH_BYTES;
      if (data.length < end) break;
      const time = data[7]! * 2 ** 24 + data.readUIntBE(4, 3);
      const body = Buffer.from(data.subarray(TAG_BYTES, TAG_BYTES + length));
      this.onMessage({ type: data[0]! & 31, time, stream: 0, body });
      data = data.subarray(end);
    }
    this.rest = Buffer.from(data);
  }
}
