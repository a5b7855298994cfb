/**
 * REMOVE, RENAME and GETATTR of NFS version 4 (RFC 7530 §16.25, §16.27, §16.7), each in one COMPOUND call over ONC RPC (RFC 5531):
 * libnfs-utils can list, copy and read, but has no program that does them. Every name is looked up from the root of the server; no
 * client id or state is needed.
 */
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { connectTcp } from './network.ts';

const NFS_PROGRAM = 100_003;
const COMPOUND = 1;
const AUTH_SYS = 1;
const OP_GETATTR = 9;
const OP_LOOKUP = 15;
const OP_PUTROOTFH = 24;
const OP_REMOVE = 28;
const OP_RENAME = 29;
const OP_SAVEFH = 32;
/** RFC 7530 §5.6: the attribute size is number 4 of the first word. */
const ATTRIBUTE_SIZE = 1 << 4;
const NOENT = 2;
/** RFC 5531 §11: the highest bit marks the last fragment of a record. */
const LAST_FRAGMENT = 0x8000_0000;
const MAX_REPLY_BYTES = 65_536;

/** RFC 7530 §13.1. */
const STATUS: Record<number, string> = {
  1: 'NFS4ERR_PERM',
  [NOENT]: 'NFS4ERR_NOENT',
  13: 'NFS4ERR_ACCESS',
  30: 'NFS4ERR_ROFS',
  10008: 'NFS4ERR_DELAY',
  10013: 'NFS4ERR_GRACE',
  10016: 'NFS4ERR_WRONGSEC',
};

export interface NfsPlace {
  host: string;
  port: number;
  /** The names from the root of the server to the folder. */
  folder: readonly string[];
}

/** Rejects with an Error whose message names the NFS status; so do the others. */
export async function removeNfsFile(place: NfsPlace, name: string, signal: AbortSignal): Promise<void> {
  const { status } = await call(place, [operation(OP_REMOVE, name)], signal);
  if (status !== 0) throw failed('REMOVE', status);
}

/** In place of what has the other name. */
export async function renameNfsFile(place: NfsPlace, from: string, to: string, signal: AbortSignal): Promise<void> {
  const { status } = await call(place, [u32(OP_SAVEFH), operation(OP_RENAME, from, to)], signal);
  if (status !== 0) throw failed('RENAME', status);
}

/** Undefined: there is no such file. */
export async function nfsFileSize(place: NfsPlace, name: string, signal: AbortSignal): Promise<number | undefined> {
  const getSize = u32(OP_GETATTR, 1, ATTRIBUTE_SIZE);
  const { status, reply } = await call(place, [operation(OP_LOOKUP, name), getSize], signal);
  if (status === NOENT) return undefined;
  if (status !== 0) throw failed('GETATTR', status);
  // The last result, and in it the value of the one attribute that was asked for.
  return Number(reply.readBigUInt64BE(reply.length - 8));
}

function failed(what: string, status: number): Error {
  return new Error(`${what} failed with ${STATUS[status] ?? `NFS status ${status}`}`);
}

async function call(
  { folder, ...address }: NfsPlace,
  operations: readonly Buffer[],
  signal: AbortSignal,
): Promise<{ status: number; reply: Buffer }> {
  const socket = await connectFromTrustedPort(address, signal);
  try {
    const xid = randomInt(2 ** 31);
    const message = Buffer.concat([header(xid), compound(folder, operations)]);
    socket.write(Buffer.concat([u32(LAST_FRAGMENT + message.length), message]));
    const reply = await readRecord(socket);
    return { status: statusOf(reply, xid), reply };
  } finally {
    socket.destroy();
  }
}

/** Linux serves by default only ports below 1024, which root alone can take; libnfs does the same. */
async function connectFromTrustedPort(address: { host: string; port: number }, signal: AbortSignal): Promise<Socket> {
  for (let attempt = 0; process.getuid?.() === 0 && attempt < 5; attempt++) {
    const socket = await connectTcp({ ...address, localPort: randomInt(600, 1024) }, signal).catch(() => undefined);
    if (socket !== undefined) return socket;
  }
  return connectTcp(address, signal);
}

function header(xid: number): Buffer {
  const machine = opaque(Buffer.from(hostname()).subarray(0, 255));
  const credential = Buffer.concat([u32(0), machine, u32(process.getuid?.() ?? 0, process.getgid?.() ?? 0, 0)]);
  const noVerifier = u32(0, 0);
  return Buffer.concat([u32(xid, 0, 2, NFS_PROGRAM, 4, COMPOUND, AUTH_SYS), opaque(credential), noVerifier]);
}

function compound(folder: readonly string[], operations: readonly Buffer[]): Buffer {
  const noTag = u32(0);
  const lookups = folder.map((part) => operation(OP_LOOKUP, part));
  const count = u32(0, folder.length + operations.length + 1, OP_PUTROOTFH);
  return Buffer.concat([noTag, count, ...lookups, ...operations]);
}

function operation(code: number, ...names: string[]): Buffer {
  return Buffer.concat([u32(code), ...names.map((name) => opaque(Buffer.from(name)))]);
}

function u32(...values: number[]): Buffer {
  const words = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => words.writeUInt32BE(value >>> 0, index * 4));
  return words;
}

/** XDR (RFC 4506 §4.10): length, bytes, zeros up to a multiple of four. */
function opaque(bytes: Buffer): Buffer {
  return Buffer.concat([u32(bytes.length), bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

async function readRecord(socket: Socket): Promise<Buffer> {
  let received = Buffer.alloc(0);
  const fragments: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4) {
      const mark = received.readUInt32BE(0);
      const length = mark % LAST_FRAGMENT;
      if (length > MAX_REPLY_BYTES) throw new Error('the answer is no RPC reply');
      if (received.length < 4 + length) break;
      fragments.push(received.subarray(4, 4 + length));
      received = received.subarray(4 + length);
      if (mark >= LAST_FRAGMENT) return Buffer.concat(fragments);
    }
  }
  throw new Error('the connection ended before an answer');
}

/** RFC 5531 §9: xid, REPLY, MSG_ACCEPTED, verifier, accept_stat; then the status of the compound. */
function statusOf(reply: Buffer, xid: number): number {
  const word = (index: number): number => reply.readUInt32BE(index * 4);
  if (reply.length < 28) throw new Error('the answer is no RPC reply');
  if (word(0) !== xid || word(1) !== 1 || word(2) !== 0) throw new Error('the RPC call was denied');
  const verifierWords = Math.ceil(word(4) / 4);
  const accepted = word(5 + verifierWords);
  if (accepted !== 0) throw new Error(`the RPC call failed with accept_stat ${accepted}`);
  return word(6 + verifierWords);
}
