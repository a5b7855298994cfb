/** Messages of RTSP (RFC 2326 §4 to §7) and the interleaved frames between them (§10.12), read from a connection and written. */

export interface RtspMessage {
  /** A request line or a status line. */
  start: string;
  /** Names as they came, in their order; a name may come more than once. */
  headers: [name: string, value: string][];
  body: Buffer;
}

/** The bounds are far above what servers and ffmpeg send: heads of some hundred bytes, descriptions of some kilobytes. */
const MAX_HEAD_BYTES = 16_384;
const MAX_BODY_BYTES = 262_144;
export const FRAME_MARK = 0x24;
const FRAME_HEAD_BYTES = 4;
const [CR, LF] = [13, 10];

interface RtspItems {
  onMessage(message: RtspMessage): void;
  /** The whole frame, its four bytes of head included. */
  onFrame(frame: Buffer): void;
}

/** Takes a connection apart as its bytes come. */
export class RtspReader {
  private readonly items: RtspItems;
  private rest: Buffer = Buffer.alloc(0);

  constructor(items: RtspItems) {
    this.items = items;
  }

  /** Throws RangeError for a message beyond the bounds, TypeError for what is no RTSP; the connection is of no use then. */
  push(chunk: Buffer): void {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    while (this.rest.length > 0) {
      const used = this.take();
      if (used === 0) return;
      this.rest = this.rest.subarray(used);
    }
  }

  /** Returns how many bytes one item took, 0 when it is not whole. */
  private take(): number {
    const { rest } = this;
    // Some servers end a body with a line break that its length does not count.
    if (rest[0] === CR || rest[0] === LF) return 1;
    if (rest[0] !== FRAME_MARK) return this.takeMessage();
    if (rest.length < FRAME_HEAD_BYTES) return 0;
    const end = FRAME_HEAD_BYTES + rest.readUInt16BE(2);
    if (rest.length < end) return 0;
    this.items.onFrame(rest.subarray(0, end));
    return end;
  }

  private takeMessage(): number {
    const { rest } = this;
    const headEnd = endOfHead(rest);
    if ((headEnd ?? rest.length) > MAX_HEAD_BYTES) throw new RangeError('The head of an RTSP message is too long.');
    if (headEnd === undefined) return 0;
    const [start = '', ...lines] = rest
      .toString('latin1', 0, headEnd)
      .split(/\r?\n/u)
      .filter((line) => line !== '');
    if (!/^(?:RTSP\/1\.\d \d{3}|[A-Z_]+ \S+ RTSP\/1\.\d$)/u.test(start))
      throw new TypeError('The line that begins an RTSP message is none.');
    const headers = headersOf(lines);
    const length = headerOf({ headers }, 'content-length') ?? '0';
    if (!/^\d{1,9}$/u.test(length) || Number(length) > MAX_BODY_BYTES)
      throw new RangeError('The body of an RTSP message is too long.');
    const end = headEnd + Number(length);
    if (rest.length < end) return 0;
    this.items.onMessage({ start, headers, body: Buffer.from(rest.subarray(headEnd, end)) });
    return end;
  }
}

/** A head ends with an empty line; RFC 2326 §4 takes a lone line feed for a line break. */
function endOfHead(bytes: Buffer): number | undefined {
  for (let at = bytes.indexOf(LF); at >= 0 && at <= MAX_HEAD_BYTES; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return undefined;
}

function headersOf(lines: readonly string[]): [string, string][] {
  const headers: [string, string][] = [];
  for (const line of lines) {
    const last = headers.at(-1);
    // A line that begins with a space goes on with the value before it.
    if (/^[ \t]/u.test(line) && last !== undefined) last[1] += ` ${clean(line)}`;
    else if (line.includes(':'))
      headers.push([clean(line.slice(0, line.indexOf(':'))), clean(line.slice(line.indexOf(':') + 1))]);
  }
  return headers;
}

/** A value that is sent on must not begin a line of its own. */
function clean(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]/gu, ' ').trim();
}

export function headerOf({ headers }: Pick<RtspMessage, 'headers'>, name: string): string | undefined {
  return headers.find(([known]) => known.toLowerCase() === name)?.[1];
}

export function headerValues({ headers }: Pick<RtspMessage, 'headers'>, name: string): string[] {
  return headers.filter(([known]) => known.toLowerCase() === name).map(([, value]) => value);
}

/** The length of the body is written by this function alone. */
export function writeMessage({ start, headers, body }: RtspMessage): Buffer {
  const lines = headers
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    .map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body.length === 0 ? '' : `Content-Length: ${body.length}\r\n`;
  return Buffer.concat([Buffer.from(`${start}\r\n${lines.join('')}${length}\r\n`, 'latin1'), body]);
}

export function writeFrame(channel: number, data: Buffer): Buffer {
  const head = Buffer.from([FRAME_MARK, channel, data.length >> 8, data.length & 0xff]);
  return Buffer.concat([head, data]);
}
