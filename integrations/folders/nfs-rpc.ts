/**
 * COMPOUND calls of NFS version 4.0 (RFC 7530 §15.2) over ONC RPC (RFC 5531) on one TCP connection, many under way at once. No library does
 * it: libnfs 4.0, which Debian has, cannot write more than some 2 KiB in a call of version 4, and has no programs that rename or delete.
 */
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { FolderFault } from './folder.ts';
import { connectTcp } from './network.ts';
import { opaque, opaqueAt, u32 } from './xdr.ts';

const NFS_PROGRAM = 100_003;
const COMPOUND = 1;
const AUTH_SYS = 1;
/** The highest bit marks the last fragment of a record (RFC 5531 §11). */
const LAST_FRAGMENT = 0x8000_0000;
/** A reply has the bytes of one read, and some room around them. */
const MAX_REPLY_BYTES = 131_072;
const NO_NFS = 'the server does not speak NFS version 4, or does not serve this machine';

/** The server refused a call with a status of RFC 7530 §13.1. */
export class NfsFault extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`NFS status ${status}`);
    this.name = 'NfsFault';
    this.status = status;
  }
}

interface Waiting {
  resolve(body: Buffer): void;
  reject(error: Error): void;
}

export class NfsConnection {
  private readonly socket: Socket;
  private readonly waiting = new Map<number, Waiting>();
  private readonly header: Buffer;
  private xid = randomInt(2 ** 31);
  private received: Buffer = Buffer.alloc(0);
  private fragments: Buffer[] = [];
  /** Bytes of the reply that is under way, and of the marks of its fragments. */
  private replyBytes = 0;
  private hasAnswered = false;

  constructor(socket: Socket) {
    this.socket = socket;
    const user = u32(process.getuid?.() ?? 0, process.getgid?.() ?? 0, 0);
    const credential = Buffer.concat([u32(0), opaque(Buffer.from(hostname()).subarray(0, 255)), user]);
    this.header = Buffer.concat([u32(0, 2, NFS_PROGRAM, 4, COMPOUND, AUTH_SYS), opaque(credential), u32(0, 0)]);
    socket.on('data', (chunk: Buffer) => this.take(chunk));
    socket.once('close', () => this.fail(this.hasAnswered ? connectionEnded() : new FolderFault(NO_NFS)));
  }

  /** Resolves with the result of the last operation; those before it must have none. Rejects with NfsFault when one of them fails. */
  call(operations: readonly Buffer[]): Promise<Buffer> {
    this.xid = (this.xid + 1) >>> 0;
    const { xid } = this;
    const noTag = u32(0);
    const message = Buffer.concat([u32(xid), this.header, noTag, u32(0, operations.length), ...operations]);
    return new Promise<Buffer>((resolve, reject) => {
      if (this.socket.destroyed) return reject(connectionEnded());
      this.waiting.set(xid, { resolve, reject });
      this.socket.write(Buffer.concat([u32(LAST_FRAGMENT + message.length), message]));
    }).then((results) => lastResult(results, operations.length));
  }

  close(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    while (this.received.length >= 4) {
      const mark = this.received.readUInt32BE(0);
      const length = mark % LAST_FRAGMENT;
      if (this.replyBytes + 4 + length > MAX_REPLY_BYTES) return this.fail(new FolderFault(NO_NFS));
      if (this.received.length < 4 + length) return;
      this.replyBytes += 4 + length;
      this.fragments.push(this.received.subarray(4, 4 + length));
      this.received = this.received.subarray(4 + length);
      if (mark < LAST_FRAGMENT) continue;
      const reply = Buffer.concat(this.fragments);
      this.fragments = [];
      this.replyBytes = 0;
      this.answer(reply);
    }
  }

  private answer(reply: Buffer): void {
    const waiting = reply.length >= 4 ? this.waiting.get(reply.readUInt32BE(0)) : undefined;
    if (waiting === undefined) return this.fail(new FolderFault(NO_NFS));
    this.waiting.delete(reply.readUInt32BE(0));
    try {
      waiting.resolve(resultsOf(reply));
      this.hasAnswered = true;
    } catch (error) {
      waiting.reject(error as Error);
    }
  }

  private fail(error: Error): void {
    this.socket.destroy();
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

/** A Linux server allows by default only ports below 1024, which root alone can take. */
export async function connectNfs(address: { host: string; port: number }, signal: AbortSignal): Promise<NfsConnection> {
  for (let attempt = 0; process.getuid?.() === 0 && attempt < 5; attempt++) {
    // The port may be taken; the last attempt, from any port, reports why there is no connection.
    const socket = await connectTcp({ ...address, localPort: randomInt(600, 1024) }, signal).catch(() => undefined);
    if (socket !== undefined) return new NfsConnection(socket);
  }
  return new NfsConnection(await connectTcp(address, signal));
}

function connectionEnded(): Error {
  return Object.assign(new Error('the connection ended before an answer'), { code: 'ECONNRESET' });
}

/** A reply has xid, REPLY, MSG_ACCEPTED, verifier, accept_stat and then the results of the compound (RFC 5531 §9). */
function resultsOf(reply: Buffer): Buffer {
  const word = (index: number): number => reply.readUInt32BE(index * 4);
  if (reply.length < 24 || word(1) !== 1 || word(2) !== 0) throw new FolderFault(NO_NFS, 'the RPC call was denied');
  const verifierWords = Math.ceil(opaqueAt(reply, 16).length / 4);
  const accepted = word(5 + verifierWords);
  if (accepted !== 0) throw new FolderFault(NO_NFS, `RPC accept_stat ${accepted}`);
  return reply.subarray((6 + verifierWords) * 4);
}

/** The results have a status, a tag, and a result for each operation that was tried (RFC 7530 §16.2.2). */
function lastResult(results: Buffer, count: number): Buffer {
  const status = results.readUInt32BE(0);
  if (status !== 0) throw new NfsFault(status);
  const tagWords = Math.ceil(opaqueAt(results, 4).length / 4);
  const before = (3 + tagWords) * 4 + (count - 1) * 8;
  return results.subarray(before + 8);
}
