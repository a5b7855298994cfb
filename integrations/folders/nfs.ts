/** NFS version 4 through the programs of Debian's libnfs-utils: they need no mount, and so no root. */
import { execFile } from 'node:child_process';
import type { RemoteFolder } from '../../domain/folder.ts';
import { FolderFault, forbidden, FULL, missing, named, type FolderProtocol } from './folder.ts';
import { connectTcp } from './network.ts';
import { removeNfsFile } from './nfs-remove.ts';
import { MAX_SMALL_FILE_BYTES } from './small-file.ts';

type Folder = Readonly<RemoteFolder>;
export const NFS_PORT = 2049;

export function nfsAddress(host: string): { host: string; port: number } {
  const [, name = host, port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/u.exec(host) ?? [];
  return { host: name.replace(/^\[|\]$/gu, ''), port: port === undefined ? NFS_PORT : Number(port) };
}

export const nfs: FolderProtocol<Folder> = {
  async open({ host: written, folder }, signal) {
    const address = nfsAddress(written);
    // libnfs tells a refused connection, a name that does not resolve and a wrong protocol apart in no way that lasts.
    (await connectTcp(address, signal)).destroy();
    const root = `/${folder.split('/').filter(Boolean).join('/')}`;
    // Port and version are options of the URL; host and path were checked to hold none (no ?, no control characters).
    const urlOf = (path: string): string => `nfs://${address.host}${path}?version=4&nfsport=${address.port}`;
    const pathOf = (name: string): string => `${root === '/' ? '' : root}/${name}`;
    return {
      put: async (name, path) => void (await run('nfs-cp', [path, urlOf(pathOf(name))], signal)),
      get: (name) => run('nfs-cat', [urlOf(pathOf(name))], signal),
      remove: (name) => removeNfsFile(address, root.split('/').filter(Boolean), name, signal),
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

/** Standard output of the program; its first line on standard error is the reason of a failure. */
function run(program: 'nfs-cp' | 'nfs-cat', args: string[], signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const bounds = { encoding: 'buffer', signal, killSignal: 'SIGKILL', maxBuffer: MAX_SMALL_FILE_BYTES } as const;
    // Nothing else of our environment, which may hold the secrets of the first start.
    const options = { ...bounds, env: { PATH: process.env['PATH'] } };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (error.code === 'ENOENT') {
        reject(new FolderFault(`this machine has no ${program}; install the Debian package libnfs-utils`));
      } else reject(new Error(firstLine(stderr.toString()), { cause: error }));
    });
  });
}

/** The first line tells the cause, later ones what failed because of it; the address is known already. */
function firstLine(text: string): string {
  const [line = ''] = text.split('\n').filter((each) => each.trim() !== '');
  return line.trim();
}
