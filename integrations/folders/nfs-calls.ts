/**
 * The operations on files of NFS version 4.0 that a transfer needs (RFC 7530 §16). Every name is looked up from the root of the server, so
 * no export has to be mounted.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { NfsConnection } from './nfs-rpc.ts';
import { NfsFault } from './nfs-rpc.ts';
import { opaque, opaqueAt, u32, u64 } from './xdr.ts';

const OP = {
  CLOSE: 4,
  COMMIT: 5,
  GETATTR: 9,
  GETFH: 10,
  LOOKUP: 15,
  OPEN: 18,
  OPEN_CONFIRM: 20,
  PUTFH: 22,
  PUTROOTFH: 24,
  READ: 25,
  REMOVE: 28,
  RENAME: 29,
  SAVEFH: 32,
  SETCLIENTID: 35,
  SETCLIENTID_CONFIRM: 36,
  WRITE: 38,
} as const;

/** Attributes are numbered in §5.6; these are the words of a bitmap. */
const TYPE_AND_SIZE = u32(1, (1 << 1) | (1 << 4));
const DIRECTORY = 2;
const NOENT = 2;
const SHARE_WRITE = 2;
const CREATE_UNCHECKED = u32(1, 0);
/** Size 0 and mode 0640, or the mode alone for a file that may have content. */
const EMPTY = Buffer.concat([u32(2, 1 << 4, 1 << 1), opaque(Buffer.concat([u64(0), u32(0o640)]))]);
const AS_IT_IS = Buffer.concat([u32(2, 0, 1 << 1), opaque(u32(0o640))]);
const CLAIM_NULL = u32(0);
const MUST_CONFIRM = 2;
const STATE_BYTES = 16;
/** The state id that stands for no open at all: reading needs none (§9.1.4.3). */
const ANONYMOUS = Buffer.alloc(STATE_BYTES);

/** A file that is open for writing. */
export interface OpenNfsFile {
  handle: Buffer;
  state: Buffer;
  /** Number of the next operation by its owner that changes the state. */
  sequence: number;
}

type Path = readonly string[];

function lookUp(path: Path): Buffer[] {
  return [u32(OP.PUTROOTFH), ...path.map((name) => Buffer.concat([u32(OP.LOOKUP), opaque(name)]))];
}

/** Undefined when nothing has the name. */
export async function statNfs(
  nfs: NfsConnection,
  path: Path,
): Promise<{ isFolder: boolean; size: number } | undefined> {
  try {
    const attributes = await nfs.call([...lookUp(path), Buffer.concat([u32(OP.GETATTR), TYPE_AND_SIZE])]);
    // The answer has a bitmap of attributes, then both values.
    const values = opaqueAt(attributes, 4 + attributes.readUInt32BE(0) * 4);
    return { isFolder: values.readUInt32BE(0) === DIRECTORY, size: Number(values.readBigUInt64BE(4)) };
  } catch (error) {
    if (error instanceof NfsFault && error.status === NOENT) return undefined;
    throw error;
  }
}

/** Opens a file for writing and creates a missing one; `empty` removes its content. */
export async function openNfsFile(
  nfs: NfsConnection,
  folder: Path,
  name: string,
  empty: boolean,
): Promise<OpenNfsFile> {
  const client = await introduce(nfs);
  const owner = Buffer.concat([client, opaque(randomUUID())]);
  const how = Buffer.concat([CREATE_UNCHECKED, empty ? EMPTY : AS_IT_IS, CLAIM_NULL, opaque(name)]);
  const reply = await nfs.call([...lookUp(folder), Buffer.concat([u32(OP.OPEN, 0, SHARE_WRITE, 0), owner, how])]);
  const handle = Buffer.from(opaqueAt(await nfs.call([...lookUp([...folder, name]), u32(OP.GETFH)]), 0));
  const file = { handle, state: Buffer.from(reply.subarray(0, STATE_BYTES)), sequence: 1 };
  // The state id is followed by change_info (20 bytes) and the flags.
  if ((reply.readUInt32BE(STATE_BYTES + 20) & MUST_CONFIRM) === 0) return file;
  const confirmation = await nfs.call([putFh(handle), Buffer.concat([u32(OP.OPEN_CONFIRM), file.state, u32(1)])]);
  return { handle, state: Buffer.from(confirmation.subarray(0, STATE_BYTES)), sequence: 2 };
}

/** Gets the client id of this connection, which state is kept for. It offers no callback, so that nothing is delegated. */
async function introduce(nfs: NfsConnection): Promise<Buffer> {
  const noCallback = Buffer.concat([u32(0), opaque('tcp'), opaque('0.0.0.0.0.0'), u32(0)]);
  const who = [randomBytes(8), opaque(`onair-${randomUUID()}`), noCallback];
  const answer = await nfs.call([Buffer.concat([u32(OP.SETCLIENTID), ...who])]);
  await nfs.call([Buffer.concat([u32(OP.SETCLIENTID_CONFIRM), answer.subarray(0, 16)])]);
  return Buffer.from(answer.subarray(0, 8));
}

function putFh(handle: Buffer): Buffer {
  return Buffer.concat([u32(OP.PUTFH), opaque(handle)]);
}

export async function writeNfs(
  nfs: NfsConnection,
  { handle, state }: OpenNfsFile,
  at: number,
  content: Buffer,
): Promise<void> {
  for (let written = 0; written < content.length;) {
    const rest = opaque(content.subarray(written));
    const write = Buffer.concat([u32(OP.WRITE), state, u64(at + written), u32(0), rest]);
    const count = (await nfs.call([putFh(handle), write])).readUInt32BE(0);
    if (count === 0) throw new Error('the server takes nothing of what is written');
    written += count;
  }
}

/** Resolves when the whole file is on the server's disk. */
export async function closeNfsFile(nfs: NfsConnection, { handle, state, sequence }: OpenNfsFile): Promise<void> {
  const everything = u32(0, 0, 0);
  await nfs.call([putFh(handle), Buffer.concat([u32(OP.COMMIT), everything])]);
  await nfs.call([putFh(handle), Buffer.concat([u32(OP.CLOSE, sequence), state])]);
}

export async function handleOf(nfs: NfsConnection, path: Path): Promise<Buffer> {
  return Buffer.from(opaqueAt(await nfs.call([...lookUp(path), u32(OP.GETFH)]), 0));
}

/** Resolves with `length` bytes or fewer, and with none at the end of the file. */
export async function readNfs(nfs: NfsConnection, handle: Buffer, at: number, length: number): Promise<Buffer> {
  const read = Buffer.concat([u32(OP.READ), ANONYMOUS, u64(at), u32(length)]);
  return opaqueAt(await nfs.call([putFh(handle), read]), 4);
}

export async function removeNfs(nfs: NfsConnection, folder: Path, name: string): Promise<void> {
  await nfs.call([...lookUp(folder), Buffer.concat([u32(OP.REMOVE), opaque(name)])]);
}

/** Replaces a file that has the other name. */
export async function renameNfs(nfs: NfsConnection, folder: Path, from: string, to: string): Promise<void> {
  const rename = Buffer.concat([u32(OP.RENAME), opaque(from), opaque(to)]);
  await nfs.call([...lookUp(folder), u32(OP.SAVEFH), rename]);
}
