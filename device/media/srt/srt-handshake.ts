/** Handshakes of SRT (draft-sharabayko-srt-01 §3.2.1): what a caller asks for, and the answers that need no connection. */

const HEADER_BYTES = 16;
const FIXED_BYTES = HEADER_BYTES + 48;
const INDUCTION = 1;
const CONCLUSION = 0xffff_ffff;
/** Handshake types from here on are refusals. */
const REFUSAL = 1000;
/** The listener of version 5 names itself by this number. */
const MAGIC = 0x4a17;
/** Kinds of extensions. */
const [KEY_REQUEST, KEY_ANSWER, STREAM_ID, PACKET_FILTER] = [3, 4, 5, 7];
const MAX_STREAM_ID = 512;
/** Bits of the field that says which extensions follow. */
const FOLLOWS = { key: 2, configuration: 4 } as const;
/** Positions in the datagram. */
const AT = { target: 12, version: 16, encryption: 20, extension: 22, type: 36, socket: 40, cookie: 44 } as const;

/** Reasons of a refusal: those of libsrt, and from 1000 on those of its access control guidelines. */
export const SRT_REFUSALS = { busy: 1409, streamid: 1403, wait: 1429, passphrase: 11, badSecret: 10 } as const;

export interface SrtHandshake {
  kind: 'induction' | 'conclusion' | 'refusal' | 'other';
  /** Why it is refused, as in SRT_REFUSALS. */
  reason: number;
  /** Its sender's. */
  socketId: number;
  cookie: number;
  /** Empty without one. */
  streamId: string;
  /** Undefined for a caller that does not encrypt its media. */
  keyMaterial: Buffer | undefined;
}

/** Returns undefined for a datagram that is no whole handshake. */
export function readHandshake(data: Buffer): SrtHandshake | undefined {
  if (data.length < FIXED_BYTES || data.readUInt16BE(0) !== 0x8000) return undefined;
  const type = data.readUInt32BE(AT.type);
  const isRefusal = type >= REFUSAL && type < 0x8000_0000;
  const kind = type === INDUCTION ? 'induction' : type === CONCLUSION ? 'conclusion' : isRefusal ? 'refusal' : 'other';
  const handshake = {
    kind,
    reason: isRefusal ? type - REFUSAL : 0,
    socketId: data.readUInt32BE(AT.socket),
    cookie: data.readUInt32BE(AT.cookie),
    streamId: '',
    keyMaterial: undefined,
  } satisfies SrtHandshake as SrtHandshake;
  if (kind !== 'conclusion') return handshake;
  const extensions = extensionsOf(data);
  if (extensions === undefined) return undefined;
  for (const { kind: extension, bytes } of extensions) {
    const content = bytes.subarray(4);
    if (extension === KEY_REQUEST && content.length > 0) handshake.keyMaterial ??= content;
    if (extension === STREAM_ID) handshake.streamId = readText(content);
  }
  return handshake;
}

interface Extension {
  kind: number;
  /** With its head of four bytes. */
  bytes: Buffer;
}

/** Extensions of a conclusion; undefined where one is cut short. */
function extensionsOf(data: Buffer): Extension[] | undefined {
  const extensions: Extension[] = [];
  for (let at = FIXED_BYTES; at + 4 <= data.length;) {
    const end = at + 4 + 4 * data.readUInt16BE(at + 2);
    if (end > data.length) return undefined;
    extensions.push({ kind: data.readUInt16BE(at), bytes: data.subarray(at, end) });
    at = end;
  }
  return extensions;
}

/** The text is written in words of 32 bits, each with its last byte first, and filled up with zeros. */
function readText(words: Buffer): string {
  const text = Buffer.from(words.subarray(0, MAX_STREAM_ID)).swap32();
  const end = text.indexOf(0);
  return text.toString('utf8', 0, end < 0 ? text.length : end);
}

/** The socket that a datagram is for; undefined for what is none of SRT. */
export function targetOf(data: Buffer): number | undefined {
  return data.length < HEADER_BYTES ? undefined : data.readUInt32BE(AT.target);
}

/** Tells whether the peer says that it leaves (control type 5). */
export function isShutdown(data: Buffer): boolean {
  return data.length >= HEADER_BYTES && data.readUInt16BE(0) === 0x8005;
}

/** Answers an induction; the caller repeats the cookie in its conclusion. `keyBits` is 0 for media that are not encrypted. */
export function inductionAnswer(request: Buffer, cookie: number, socketId: number, keyBits: number): Buffer {
  const answer = answerTo(request);
  answer.writeUInt32BE(5, AT.version);
  answer.writeUInt16BE(keyBits / 64, AT.encryption);
  answer.writeUInt16BE(MAGIC, AT.extension);
  answer.writeUInt32BE(INDUCTION, AT.type);
  answer.writeUInt32BE(socketId, AT.socket);
  answer.writeUInt32BE(cookie, AT.cookie);
  return answer;
}

/** Refuses a conclusion; the caller ends at once. */
export function refusalAnswer(request: Buffer, reason: number): Buffer {
  const answer = answerTo(request);
  answer.writeUInt16BE(0, AT.extension);
  answer.writeUInt32BE(REFUSAL + reason, AT.type);
  return answer;
}

/** The same handshake with the cookie of another listener. */
export function withCookie(data: Buffer, cookie: number): Buffer {
  const copy = Buffer.from(data);
  copy.writeUInt32BE(cookie, AT.cookie);
  return copy;
}

/**
 * The conclusion of an encrypting caller as one sends it that does not encrypt. Its packet filter is left out: the parity of encrypted packets
 * repairs none in clear, and what is lost is asked for again.
 */
export function conclusionInClear(conclusion: Buffer): Buffer {
  const kept = (extensionsOf(conclusion) ?? []).filter(({ kind }) => kind !== KEY_REQUEST && kind !== PACKET_FILTER);
  const copy = Buffer.concat([conclusion.subarray(0, FIXED_BYTES), ...kept.map(({ bytes }) => bytes)]);
  copy.writeUInt16BE(0, AT.encryption);
  copy.writeUInt16BE(copy.readUInt16BE(AT.extension) & ~FOLLOWS.key, AT.extension);
  return copy;
}

/** The answer to that conclusion as the encrypting caller expects it, with what was left out: the listener takes both as they are. */
export function answerWithKey(answer: Buffer, conclusion: Buffer): Buffer {
  const extensions = extensionsOf(conclusion) ?? [];
  const filters = extensions.filter(({ kind }) => kind === PACKET_FILTER).map(({ bytes }) => bytes);
  const keys = extensions.filter(({ kind }) => kind === KEY_REQUEST).map(({ bytes }) => Buffer.from(bytes));
  for (const key of keys) key.writeUInt16BE(KEY_ANSWER, 0);
  const copy = Buffer.concat([answer, ...filters, ...keys]);
  copy.writeUInt16BE(conclusion.readUInt16BE(AT.encryption), AT.encryption);
  const follows = FOLLOWS.key | (filters.length > 0 ? FOLLOWS.configuration : 0);
  copy.writeUInt16BE(copy.readUInt16BE(AT.extension) | follows, AT.extension);
  return copy;
}

/** The induction that a caller began with, made of its conclusion for another listener. */
export function inductionOf(conclusion: Buffer): Buffer {
  const induction = Buffer.from(conclusion.subarray(0, FIXED_BYTES));
  induction.writeUInt32BE(4, AT.version);
  induction.writeUInt16BE(0, AT.encryption);
  induction.writeUInt16BE(2, AT.extension);
  induction.writeUInt32BE(INDUCTION, AT.type);
  induction.writeUInt32BE(0, AT.cookie);
  return induction;
}

function answerTo(request: Buffer): Buffer {
  const answer = Buffer.from(request.subarray(0, FIXED_BYTES));
  answer.writeUInt32BE(request.readUInt32BE(AT.socket), AT.target);
  return answer;
}
