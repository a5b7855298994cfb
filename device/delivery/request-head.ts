/** Parses the head of a request for media (RFC 9112 §3, §5). */
import type { HeaderReader } from '../../domain/network/http-conditions.ts';

/** Node has the same bound for a request line and its fields. */
export const MAX_HEAD_BYTES = 16 << 10;

export interface RequestHead {
  method: string;
  /** The target as it was sent. */
  target: string;
  header: HeaderReader;
  /** Bytes of content behind the head. */
  contentLength: number;
  /** The client may send another request on this connection. */
  isKept: boolean;
}

const REQUEST_LINE = /^([A-Z]{1,16}) ([\x21-\x7e]+) HTTP\/1\.([01])$/u;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\x80-\xff\t]*)$/u;

/** False when no request begins with these bytes, whatever follows; the first byte of a TLS client is 0x16. */
export function mayBeginHead(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes[0]! >= 0x41 && bytes[0]! <= 0x5a);
}

/** Bytes up to and with the empty line; undefined while that is missing. */
export function headLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n', 0, 'latin1');
  return end === -1 ? undefined : end + 4;
}

/** Undefined when the head is not valid HTTP/1.1, or its content does not say its length. */
export function parseHead(bytes: Buffer): RequestHead | undefined {
  const [first = '', ...lines] = bytes.toString('latin1').trimEnd().split('\r\n');
  const [, method, target, minor] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const earlier = fields.get(name.toLowerCase());
    fields.set(name.toLowerCase(), earlier === undefined ? value.trim() : `${earlier}, ${value.trim()}`);
  }
  const length = fields.get('content-length') ?? '0';
  if (fields.has('transfer-encoding') || !/^\d{1,15}$/u.test(length)) return undefined;
  const connection = fields.get('connection')?.toLowerCase() ?? '';
  const isKept = minor === '1' ? !/\bclose\b/u.test(connection) : /\bkeep-alive\b/u.test(connection);
  return { method, target, header: (name) => fields.get(name), contentLength: Number(length), isKept };
}
