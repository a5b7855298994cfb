/** WebDAV (RFC 4918) over HTTP or HTTPS, with Basic or Digest credentials. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AuthType, createClient, type FileStat } from 'webdav';
import type { RemoteFolder } from '../../domain/folder.ts';
import {
  FolderFault,
  forbidden,
  FULL,
  missing,
  named,
  WRONG_CREDENTIALS,
  type FolderProtocol,
  type Reason,
} from './folder.ts';
import { SmallFile } from './small-file.ts';

type Folder = Readonly<RemoteFolder>;

/** A host alone means https. */
export function baseUrlOf(host: string): string {
  return /^https?:\/\//iu.test(host) ? host : `https://${host}`;
}

export const webdav: FolderProtocol<Folder> = {
  async open(folder, signal) {
    // Agents of its own: what is open can be ended, and nothing is kept for a later call.
    const httpAgent = new HttpAgent({ keepAlive: false });
    const httpsAgent = new HttpsAgent({ keepAlive: false });
    const client = createClient(baseUrlOf(folder.host), {
      ...(folder.user === null
        ? { authType: AuthType.None }
        : { authType: AuthType.Auto, username: folder.user, password: folder.password ?? '' }),
      httpAgent,
      httpsAgent,
    });
    const root = `/${folder.folder.split('/').filter(Boolean).join('/')}`;
    const pathOf = (name: string): string => `${root === '/' ? '' : root}/${name}`;
    const { type } = (await client.stat(root, { signal })) as FileStat;
    if (type !== 'directory') throw new FolderFault(`${JSON.stringify(folder.folder)} is a file, not a folder`);
    return {
      async put(name, path) {
        const { size } = await stat(path);
        // The length is stated: servers refuse a chunked upload (411) or keep it in memory first.
        const headers = { 'Content-Length': String(size) };
        await client.putFileContents(pathOf(name), createReadStream(path), { headers, signal });
      },
      async get(name) {
        const file = new SmallFile();
        await pipeline(client.createReadStream(pathOf(name), { signal }) as Readable, file);
        return file.content();
      },
      remove: (name) => client.deleteFile(pathOf(name), { signal }),
      close() {
        httpAgent.destroy();
        httpsAgent.destroy();
      },
    };
  },

  explain(error, step, { folder }): Reason | undefined {
    const { status, response } = error as { status?: number; response?: { statusText?: string } };
    if (status === undefined) return undefined;
    const said = `${status} ${response?.statusText ?? ''}`;
    if (status === 401) return { reason: WRONG_CREDENTIALS, said };
    if (status === 507) return { reason: FULL, said };
    if (status === 403) return { reason: forbidden(step, named(folder)), said };
    if (step === 'open' && (status === 404 || status === 410)) return { reason: missing(folder), said };
    if (status === 405 || status === 501) {
      return { reason: step === 'open' ? 'it is no WebDAV server' : forbidden(step, named(folder)), said };
    }
    return { reason: `the server refused to ${step} ${step === 'open' ? 'the folder' : 'a file'}`, said };
  },
};
