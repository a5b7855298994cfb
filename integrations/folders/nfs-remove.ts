/**
 * REMOVE of NFS version 4 (RFC 7530 §16.25) in one COMPOUND call over ONC RPC (RFC 5531): libnfs-utils can list, copy and read, but
 * has no program that deletes. Every name is looked up from the root of the server; no client id or state is needed.
 */
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { connectTcp } from './network.ts';

const NFS_PROGRAM = 100_003;
const COMPOUND = 1;
const AUTH_SYS = 1;
const OP_LOOKUP = 15;
const OP_PUTROOTFH = 24;
const OP_REMOVE = 28;
/** RFC 5531 §11: the highest bit marks the last fragment of a record. */
const LAST_FRAGMENT = 0x8000_0000;
const MAX_REPLY_BYTES = 65_536;

/** RFC 7530 §13.1. */
const STATUS: Record<number, string> = {
  1: 'NFS4ERR_PERM',
  2: 'NFS4ERR_NOENT',
  13: 'NFS4ERR_ACCESS',
  30: 'NFS4ERR_ROFS',
  10008: 'NFS4ERR_DELAY',
  10013: 'NFS4ERR_GRACE',
  10016: 'NFS4ERR_WRONGSEC',
};

/** Rejects with an Error whose message names the NFS status. */
export async function removeNfsFile(
  address: { host: string; port: number },
  folder: readonly string[],
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const socket = await connectFromTrustedPort(address, signal);
  try {
    const xid = randomInt(2 ** 31);
    const call = Buffer.concat([header(xid), compound(folder, name)]);
    socket.write(Buffer.concat([u32(LAST_FRAGMENT + call.length), call]));
    const status = statusOf(await readRecord(socket), xid);
    if (status !== 0) throw new Error(`REMOVE failed with ${STATUS[status] ?? `NFS status ${status}`}`);
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

function compound(folder: readonly string[], name: string): Buffer {
  const noTag = u32(0);
  const lookups = folder.map((part) => Buffer.concat([u32(OP_LOOKUP), opaque(Buffer.from(part))]));
  const remove = Buffer.concat([u32(OP_REMOVE), opaque(Buffer.from(name))]);
  return Buffer.concat([noTag, u32(0, folder.length + 2, OP_PUTROOTFH), ...lookups, remove]);
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
