/** NFS version 4 through the programs of Debian's libnfs-utils: they need no mount, and so no root. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RemoteFolder } from '../../domain/folder.ts';
import { FolderFault, forbidden, FULL, missing, named, type FolderProtocol, type Sending } from './folder.ts';
import { connectTcp } from './network.ts';
import { nfsFileSize, removeNfsFile, renameNfsFile } from './nfs-calls.ts';

type Folder = Readonly<RemoteFolder>;
export const NFS_PORT = 2049;
const ASK_MS = 500;
const MOST_SAID = 4000;

export function nfsAddress(host: string): { host: string; port: number } {
  const [, name = host, port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/u.exec(host) ?? [];
  return { host: name.replace(/^\[|\]$/gu, ''), port: port === undefined ? NFS_PORT : Number(port) };
}

export const nfs: FolderProtocol<Folder> = {
  // nfs-cp always begins anew.
  resumes: false,
  whole: false,
  async open({ host: written, folder }, signal) {
    const address = nfsAddress(written);
    // libnfs tells a refused connection, a name that does not resolve and a wrong protocol apart in no way that lasts.
    (await connectTcp(address, signal)).destroy();
    const root = `/${folder.split('/').filter(Boolean).join('/')}`;
    // Port and version are options of the URL; host and path were checked to hold none (no ?, no control characters).
    const urlOf = (path: string): string => `nfs://${address.host}${path}?version=4&nfsport=${address.port}`;
    const pathOf = (name: string): string => `${root === '/' ? '' : root}/${name}`;
    const place = { ...address, folder: root.split('/').filter(Boolean) };
    return {
      send: (name, file) => copyOut(file, urlOf(pathOf(name)), signal),
      sizeOf: (name) => nfsFileSize(place, name, signal),
      receive: (name, sink) => run('nfs-cat', [urlOf(pathOf(name))], signal, sink),
      rename: (from, to) => renameNfsFile(place, from, to, signal),
      remove: (name) => removeNfsFile(place, name, signal),
      // Every program ends with its call.
      close: () => undefined,
    };
  },

  explain(error, step, { folder }) {
    const { message } = error as Error;
    if (/NFS4ERR_(?:NOSPC|DQUOT)|No space left/u.test(message)) return { reason: FULL, said: message };
    if (step === 'write' && /NFS4ERR_(?:NOENT|NOTDIR)/u.test(message)) {
      return { reason: missing(folder), said: message };
    }
    if (/NFS4ERR_(?:ROFS|ACCESS|PERM|WRONGSEC)/u.test(message)) {
      return { reason: forbidden(step, named(folder)), said: message };
    }
    // What is left of a connection that was made: it ended before an answer of version 4.
    if (/nfs_service failed|Failed to mount/u.test(message)) {
      return { reason: 'the server does not speak NFS version 4, or does not serve this machine', said: message };
    }
    return undefined;
  },
};

/** nfs-cp tells nothing before its end: how far it has read is asked of the kernel. */
async function copyOut({ path, progress }: Sending, url: string, signal: AbortSignal): Promise<void> {
  let pid: number | undefined;
  const timer = setInterval(() => pid !== undefined && progress(readSoFar(pid, path)), ASK_MS);
  try {
    await run('nfs-cp', [path, url], signal, undefined, (started) => (pid = started));
  } finally {
    clearInterval(timer);
  }
}

/** Position in the file of the process that has it open; proc(5), /proc/<pid>/fdinfo. */
function readSoFar(pid: number, path: string): number {
  try {
    const fd = readdirSync(`/proc/${pid}/fd`).find((each) => readlinkSync(`/proc/${pid}/fd/${each}`) === path);
    return fd === undefined ? 0 : Number(/^pos:\s*(\d+)/u.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}

/** What the program writes goes into `sink`; its first line on standard error is the reason of a failure. */
async function run(
  program: 'nfs-cp' | 'nfs-cat',
  args: string[],
  signal: AbortSignal,
  sink?: Writable,
  onStart: (pid: number | undefined) => void = () => undefined,
): Promise<void> {
  // Nothing else of our environment, which may hold the secrets of the first start.
  const env = { PATH: process.env['PATH'] };
  const stdio = ['ignore', sink === undefined ? 'ignore' : 'pipe', 'pipe'] as const;
  const child = spawn(program, args, { signal, killSignal: 'SIGKILL', env, stdio: [...stdio] });
  onStart(child.pid);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, MOST_SAID)));
  const flowed = sink === undefined || child.stdout === null ? Promise.resolve() : pipeline(child.stdout, sink);
  // It fails with the sink; without a reader the program would wait for ever.
  flowed.catch(() => child.kill('SIGKILL'));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', (error: NodeJS.ErrnoException) => {
      const lacks = `this machine has no ${program}; install the Debian package libnfs-utils`;
      reject(error.code === 'ENOENT' ? new FolderFault(lacks) : error);
    });
  });
  await flowed;
  if (code !== 0) throw new Error(firstLine(said));
}

/** The first line tells the cause, later ones what failed because of it; the address is known already. */
function firstLine(text: string): string {
  const [line = ''] = text.split('\n').filter((each) => each.trim() !== '');
  return line.trim();
}
