/** WebDAV (RFC 4918) over HTTP or HTTPS, with Basic or Digest credentials. */
import { createReadStream } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AuthType, createClient, parseStat, parseXML, type FileStat, type WebDAVClient } from 'webdav';
import type { RemoteFolder } from '../../domain/shapes/media/folder.ts';
import { reach } from '../reach.ts';
import { within } from './network.ts';
import {
  FolderFault,
  forbiddenReason,
  FULL,
  missingFolder,
  folderLabel,
  WRONG_CREDENTIALS,
  type FolderProtocol,
  type Reason,
} from './folder.ts';
import { SmallFile } from './small-file.ts';

type Folder = Readonly<RemoteFolder>;

/** A host without a scheme means https. */
export function baseUrlOf(host: string): string {
  return /^https?:\/\//iu.test(host) ? host : `https://${host}`;
}

export const webdav: FolderProtocol<Folder> = {
  // RFC 4918 has no upload of a part.
  resumes: false,
  whole: false,
  async open(folder, signal) {
    // Agents of its own let open connections be ended, and keep none for a later call.
    const { lookup } = reach();
    const httpAgent = new HttpAgent({ keepAlive: false, lookup });
    const httpsAgent = new HttpsAgent({ keepAlive: false, lookup });
    const base = baseUrlOf(folder.host);
    // The library would report a refusal at its socket as any other failure.
    await within(signal, reach().resolve(new URL(base).hostname));
    for (const agent of [httpAgent, httpsAgent]) keepTo(new URL(base), agent);
    const client = createClient(base, {
      ...(folder.user === null
        ? { authType: AuthType.None }
        : { authType: AuthType.Auto, username: latin1(folder.user), password: latin1(folder.password ?? '') }),
      httpAgent,
      httpsAgent,
    });
    const root = `/${folder.folder.split('/').filter(Boolean).join('/')}`;
    const pathOf = (name: string): string => `${root === '/' ? '' : root}/${name}`;
    const { type } = await statOf(client, root, signal);
    if (type !== 'directory') throw new FolderFault(`${JSON.stringify(folder.folder)} is a file, not a folder`);
    return {
      async send(name, { path, size, progress }) {
        // The length is stated: servers refuse a chunked upload (411) or keep it in memory first.
        const headers = { 'Content-Length': String(size) };
        await client.putFileContents(pathOf(name), countedFile(path, progress), { headers, signal });
      },
      async sizeOf(name) {
        try {
          return (await statOf(client, pathOf(name), signal)).size;
        } catch (error) {
          if ((error as { status?: number }).status === 404) return undefined;
          throw error;
        }
      },
      receive: (name, sink) => pipeline(client.createReadStream(pathOf(name), { signal }) as Readable, sink),
      rename: (from, to) => client.moveFile(pathOf(from), pathOf(to), { overwrite: true, signal }),
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
    const upstream = `${status} ${response?.statusText ?? ''}`;
    if (status === 401) return { reason: WRONG_CREDENTIALS, upstream };
    if (status === 507) return { reason: FULL, upstream };
    if (status === 403) return { reason: forbiddenReason(step, folderLabel(folder)), upstream };
    if (step === 'open' && (status === 404 || status === 410)) return { reason: missingFolder(folder), upstream };
    if (status === 405 || status === 501) {
      return {
        reason: step === 'open' ? 'it is no WebDAV server' : forbiddenReason(step, folderLabel(folder)),
        upstream,
      };
    }
    const passes = status >= 500 || status === 423 || status === 429;
    return { reason: `the server refused to ${step} ${step === 'open' ? 'the folder' : 'a file'}`, upstream, passes };
  },
};

function countedFile(path: string, progress: (sent: number) => void): Readable {
  let sent = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length;
      progress(sent);
      done(null, chunk);
    },
  });
  // The reader of `counting` gets the error there.
  pipeline(createReadStream(path), counting).catch(() => undefined);
  return counting;
}

/** It sends the library's own request, whose call would take an answer of any length into memory. */
async function statOf(client: WebDAVClient, root: string, signal: AbortSignal): Promise<FileStat> {
  const headers = { Accept: 'text/plain,application/xml', Depth: '0' };
  // The library declares the answer of a browser.
  const { body } = (await client.customRequest(root, { method: 'PROPFIND', headers, signal })) as unknown as {
    body: Readable;
  };
  const answer = new SmallFile('what answers is no WebDAV server: its answer is far too long');
  await pipeline(body, answer);
  return parseStat(await parseXML(answer.content().toString('utf8')), root, false) as FileStat;
}

/**
 * A redirect may lead to another path of the server, as many add a slash, and nowhere else: following it would send credentials to another
 * server, or ask a server of our network on behalf of a stranger.
 */
function keepTo(server: URL, agent: HttpAgent): void {
  const port = Number(server.port || (server.protocol === 'https:' ? 443 : 80));
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    const { host, port: targetPort } = options as { host?: string | null; port?: number | string | null };
    const isServer = agent instanceof HttpsAgent === (server.protocol === 'https:') && Number(targetPort) === port;
    if (isServer && host === server.hostname.replace(/^\[|\]$/gu, '')) return connect(options, done);
    throw new FolderFault(`the server redirects to ${host}:${targetPort}; configure the address that answers itself`);
  };
}

/** The library writes Latin-1, which lacks many characters; servers read UTF-8 (RFC 7617 §2.1). */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
