/** Tells when FLV goes on with other codecs or configurations. */
import { isConfiguration, type FlvMessage } from './flv-bodies.ts';

const [AUDIO, VIDEO] = [8, 9];
const VIDEO_COMMAND = 5;
const FILE_HEADER_BYTES = 13;
const TAG_BYTES = 11;

/**
 * Returns one more output of an ffmpeg that reads FLV: its sound and its keyframes, behind each configuration that is new. Other muxers of
 * ffmpeg 5.1 go on with the first one. What waits in its buffer is two seconds of usual sound: each packet by itself would wake us.
 */
export function changeOutput(fd: number): string[] {
  return [
    ...['-map', '0:V:0?', '-map', '0:a:0?', '-c', 'copy', '-bsf:v', 'noise=drop=not(key)'],
    ...['-max_interleave_delta', '100000', '-flush_packets', '0', '-f', 'flv', `pipe:${fd}`],
  ];
}

export class FlvChanges {
  /** Keys are message types. */
  private readonly codecs = new Map<number, string>();
  private readonly configurations = new Map<number, Buffer>();

  /** Tells of sound or a picture that is the first, or has changed. A configuration that is sent again is no change. */
  note(message: FlvMessage): 'first' | 'changed' | undefined {
    const { type, body } = message;
    if ((type !== AUDIO && type !== VIDEO) || body.length === 0 || isCommand(message)) return undefined;
    const [codec, former] = [codecOf(message), this.codecs.get(type)];
    this.codecs.set(type, codec);
    const isOther = former !== undefined && former !== codec;
    if (isOther) this.configurations.delete(type);
    const known = this.configurations.get(type);
    const isOtherForm = isConfiguration(message) && known?.equals(body) === false;
    if (isConfiguration(message)) this.configurations.set(type, Buffer.from(body));
    if (former === undefined) return 'first';
    return isOther || isOtherForm ? 'changed' : undefined;
  }

  has(type: number): boolean {
    return this.codecs.has(type);
  }
}

/** Reads the bytes of `changeOutput`. */
export class FlvChangeReader {
  private readonly changes = new FlvChanges();
  private rest: Buffer = Buffer.alloc(0);
  private skip = FILE_HEADER_BYTES;

  /** Returns whether something has changed. */
  push(chunk: Buffer): boolean {
    let data = Buffer.concat([this.rest, chunk]);
    let hasChanged = false;
    const skipped = Math.min(this.skip, data.length);
    this.skip -= skipped;
    data = data.subarray(skipped);
    while (data.length >= TAG_BYTES) {
      const end = TAG_BYTES + data.readUIntBE(1, 3) + 4;
      if (data.length < end) break;
      if (this.changes.note({ type: data[0]!, body: data.subarray(TAG_BYTES, end - 4) }) === 'changed')
        hasChanged = true;
      data = data.subarray(end);
    }
    this.rest = Buffer.from(data);
    return hasChanged;
  }
}

function isCommand({ type, body }: FlvMessage): boolean {
  return type === VIDEO && body[0]! >> 4 === VIDEO_COMMAND;
}

function codecOf({ type, body }: FlvMessage): string {
  return String(type === AUDIO ? body[0]! >> 4 : body[0]! & 15);
}
