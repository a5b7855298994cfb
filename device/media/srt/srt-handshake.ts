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
const [SRT_REQUEST, SRT_ANSWER, KEY_REQUEST, KEY_ANSWER, STREAM_ID, PACKET_FILTER] = [1, 2, 3, 4, 5, 7];
/** Extensions of a live stream; bonding, files and later kinds are not among them. */
const KNOWN = [SRT_REQUEST, KEY_REQUEST, STREAM_ID, PACKET_FILTER];
const MAX_STREAM_ID = 512;
/** Bits of the field that says which extensions follow. */
const FOLLOWS = { request: 1, key: 2, configuration: 4 } as const;
/** Positions in the datagram. */
const AT = {
  time: 8,
  target: 12,
  version: 16,
  encryption: 20,
  extension: 22,
  sequence: 24,
  window: 32,
  type: 36,
  socket: 40,
  cookie: 44,
} as const;
/** Flags of a request for SRT. */
const SENDS_LIVE = 0x01;
const SENDS_A_FILE = 0x40;
/** Live both ways, keys, what is late is dropped, what is missing is asked for again and again, repeated packets are marked. */
const OWN_FLAGS = 0x3f;
const OWN_VERSION = 0x01_05_01;
const REQUEST_BYTES = 16;

/** Reasons of a refusal: those of libsrt, and from 1000 on those of its access control guidelines. */
export const SRT_REFUSALS = {
  busy: 1409,
  streamid: 1403,
  codec: 1415,
  wait: 1429,
  passphrase: 11,
  badSecret: 10,
} as const;

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

/** A live sender's wishes, as its conclusion has them. */
export interface LiveRequest {
  /** The number of its socket. */
  socketId: number;
  /** The number of its first packet. */
  firstSequence: number;
  /** Microseconds of its clock. */
  sentAt: number;
  /** From the sending of a packet to its delivery: the longer one of what both want. */
  latencyMs: number;
  /** The latency that it wants as a receiver itself. */
  ownLatencyMs: number;
}

/** Undefined where the conclusion asks for more than one live stream (files, bonding), or is of before version 5. */
export function liveRequestOf(conclusion: Buffer, latencyMs: number): LiveRequest | undefined {
  const extensions = extensionsOf(conclusion);
  const request = extensions?.find(({ kind }) => kind === SRT_REQUEST)?.bytes;
  const isKnown = extensions?.every(({ kind }) => KNOWN.includes(kind));
  if (isKnown !== true || request?.length !== REQUEST_BYTES || conclusion.readUInt32BE(AT.version) !== 5)
    return undefined;
  const flags = request.readUInt32BE(8);
  if ((flags & SENDS_LIVE) === 0 || (flags & SENDS_A_FILE) !== 0) return undefined;
  return {
    socketId: conclusion.readUInt32BE(AT.socket),
    firstSequence: conclusion.readUInt32BE(AT.sequence) & 0x7fff_ffff,
    sentAt: conclusion.readUInt32BE(AT.time),
    latencyMs: Math.max(latencyMs, request.readUInt16BE(14)),
    ownLatencyMs: request.readUInt16BE(12),
  };
}

/**
 * Accepts a conclusion, with its keys and its packet filter. The parity of a filter repairs nothing here: what is lost is asked for again.
 */
export function acceptance(
  conclusion: Buffer,
  { latencyMs, ownLatencyMs }: LiveRequest,
  { socketId, window }: { socketId: number; window: number },
): Buffer {
  const extensions = extensionsOf(conclusion) ?? [];
  const filters = extensions.filter(({ kind }) => kind === PACKET_FILTER).map(({ bytes }) => bytes);
  const keys = extensions.filter(({ kind }) => kind === KEY_REQUEST).map(({ bytes }) => Buffer.from(bytes));
  for (const key of keys) key.writeUInt16BE(KEY_ANSWER, 0);
  const follows = (keys.length > 0 ? FOLLOWS.key : 0) | (filters.length > 0 ? FOLLOWS.configuration : 0);
  const answer = answerTo(conclusion);
  answer.writeUInt32BE(0, AT.time);
  answer.writeUInt16BE(FOLLOWS.request | follows, AT.extension);
  answer.writeUInt32BE(window, AT.window);
  answer.writeUInt32BE(socketId, AT.socket);
  const request = Buffer.alloc(REQUEST_BYTES);
  request.writeUInt16BE(SRT_ANSWER, 0);
  request.writeUInt16BE(REQUEST_BYTES / 4 - 1, 2);
  request.writeUInt32BE(OWN_VERSION, 4);
  request.writeUInt32BE(OWN_FLAGS, 8);
  request.writeUInt16BE(latencyMs, 12);
  request.writeUInt16BE(Math.max(latencyMs, ownLatencyMs), 14);
  return Buffer.concat([answer, request, ...filters, ...keys]);
}

function answerTo(request: Buffer): Buffer {
  const answer = Buffer.from(request.subarray(0, FIXED_BYTES));
  answer.writeUInt32BE(request.readUInt32BE(AT.socket), AT.target);
  return answer;
}
