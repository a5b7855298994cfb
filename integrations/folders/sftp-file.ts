/** Large files by SFTP (draft-ietf-secsh-filexfer-02 §6.3-6.4), with many requests under way at once. */
import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type SftpClient from 'ssh2-sftp-client';
import type { Sending } from './folder.ts';
import { inOrder } from './transfer.ts';

/** Every server takes as much in one request (§3). */
const CHUNK = 32_768;
const AT_ONCE = 64;

/** The session of ssh2, below the library that connects. */
type Session = Awaited<ReturnType<SftpClient['connect']>>;
type Done<T> = (error: Error | null | undefined, value: T) => void;

function request<T>(ask: (done: Done<T>) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    ask((error, value) => (error ? reject(error) : resolve(value)));
  });
}

export async function writeFile(session: Session, path: string, file: Sending): Promise<void> {
  // Writes under way when a connection ended may have left a hole, so as much is written once more.
  const from = Math.max(0, file.from - CHUNK * AT_ONCE);
  const source = await open(file.path, 'r');
  const handle = await request<Buffer>((done) => session.open(path, from === 0 ? 'w' : 'r+', done)).catch(
    async (error: unknown) => {
      await source.close();
      throw error;
    },
  );
  try {
    const chunks = inOrder(Math.ceil((file.size - from) / CHUNK), AT_ONCE, async (index) => {
      const at = from + index * CHUNK;
      const { buffer, bytesRead } = await source.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
      await request<void>((done) => session.write(handle, buffer, 0, bytesRead, at, done));
      return at + bytesRead;
    });
    for await (const sent of chunks) file.progress(sent);
    await request<void>((done) => session.close(handle, done));
  } finally {
    await source.close();
  }
}

/** Tells whether the disk has no room for one request more. Rejects where the server does not tell (OpenSSH's PROTOCOL, statvfs). */
export async function isFull(session: Session, path: string): Promise<boolean> {
  const { f_bavail, f_frsize } = await request<{ f_bavail: number; f_frsize: number }>((done) =>
    session.ext_openssh_statvfs(path, done),
  );
  return f_bavail * f_frsize < CHUNK;
}

export async function readFile(session: Session, path: string, sink: Writable): Promise<void> {
  const handle = await request<Buffer>((done) => session.open(path, 'r', done));
  const { size } = await request<{ size: number }>((done) => session.fstat(handle, done));
  const chunks = inOrder(Math.ceil(size / CHUNK), AT_ONCE, (index) =>
    readWhole(session, handle, index * CHUNK, Math.min(CHUNK, size - index * CHUNK)),
  );
  await pipeline(chunks, sink);
  await request<void>((done) => session.close(handle, done));
}

/** A server may answer fewer bytes than the request names. */
async function readWhole(session: Session, handle: Buffer, at: number, length: number): Promise<Buffer> {
  const chunk = Buffer.allocUnsafe(length);
  for (let read = 0; read < length;) {
    read += await request<number>((done) => session.read(handle, chunk, read, length - read, at + read, done));
  }
  return chunk;
}
