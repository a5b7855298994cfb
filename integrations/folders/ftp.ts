/** FTP (RFC 959), with TLS (RFC 4217) as the folder requires. */
import { createReadStream } from 'node:fs';
import { isIP } from 'node:net';
import { Client, FTPError } from 'basic-ftp';
import { tlsOf, type TargetFolder } from '../../domain/shapes/media/folder.ts';
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
  type Sending,
} from './folder.ts';

/** `onSecure` hears whether the connection is encrypted, before credentials are sent. */
export type FtpFolder = Readonly<TargetFolder> & { onSecure?: (isSecure: boolean) => void };
type Folder = FtpFolder;
export const FTP_PORT = 21;

export const ftp: FolderProtocol<Folder> = {
  resumes: true,
  whole: false,
  async open(folder, signal) {
    // The caller's signal is the only bound; data goes to the configured host, and not to one that its answer names.
    const client = new Client(0, { allowSeparateTransferHost: false });
    signal.addEventListener('abort', () => client.close(), { once: true });
    const host = folder.host ?? '';
    try {
      // The library resolves names itself; the certificate is checked for the name all the same.
      const { address } = await within(signal, reach().resolve(host));
      await client.connect(address, folder.port ?? FTP_PORT);
      folder.onSecure?.(await encrypt(client, host, folder));
      await login(client, folder);
      await client.useDefaultSettings();
      if (folder.folder !== null) await client.cd(folder.folder);
    } catch (error) {
      client.close();
      throw error;
    }
    return {
      send: (name, file) => send(client, name, file),
      sizeOf: (name) => sizeOf(client, name),
      receive: async (name, sink) => void (await client.downloadTo(sink, name)),
      rename: (from, to) => rename(client, from, to),
      remove: async (name) => void (await client.remove(name)),
      close: () => client.close(),
    };
  },

  explain(error, step, { folder }) {
    if (!(error instanceof FTPError)) return undefined;
    const upstream = error.message;
    // RFC 959 §4.2.2: 452 and 552 are about storage, 553 is about the name, and 550 about the file or the right to it.
    if (error.code === 452 || error.code === 552) return { reason: FULL, upstream };
    if (error.code === 530) return { reason: WRONG_CREDENTIALS, upstream };
    if (error.code === 421) return { reason: 'the server takes no connection now', upstream, passes: true };
    if (error.code === 550 || error.code === 553) {
      return { reason: step === 'open' ? missingFolder(folder) : forbiddenReason(step, folderLabel(folder)), upstream };
    }
    return undefined;
  },
};

/**
 * Resolves with whether the connection is encrypted now. A certificate that is offered must be good. Where TLS is required no password goes
 * to a server that refuses it, since an attacker in between can give that answer in its place.
 */
async function encrypt(client: Client, host: string, folder: Folder): Promise<boolean> {
  const tls = tlsOf(folder);
  if (tls === 'none') return false;
  try {
    // An address is not a server name (RFC 6066 §3).
    await client.useTLS({ host, ...(isIP(host) === 0 && { servername: host }) });
    return true;
  } catch (error) {
    if (!(error instanceof FTPError)) throw error;
    // The server refused by a reply, so the connection goes on as it was.
    if (tls === 'offered') return false;
    throw new FolderFault(NO_TLS, error.message);
  }
}

const NO_TLS =
  'the server offers no TLS, which this folder requires; nothing was sent to it. Where it must be reached in the clear, set tls to none';

async function login(client: Client, { user, password }: Folder): Promise<void> {
  try {
    await client.login(user ?? '', password ?? '');
  } catch (error) {
    if (!(error instanceof FTPError) || error.code === 421) throw error;
    throw new FolderFault(WRONG_CREDENTIALS, error.message);
  }
}

async function send(client: Client, name: string, { path, from, progress }: Sending): Promise<void> {
  client.trackProgress(({ bytes }) => progress(from + bytes));
  try {
    const rest = createReadStream(path, { start: from });
    // APPE is used and not REST with STOR: RFC 3659 §5.4 leaves open how a server treats a restarted store.
    await (from === 0 ? client.uploadFrom(rest, name) : client.appendFrom(rest, name));
  } finally {
    client.trackProgress();
  }
}

/** A server answers 550 for a missing file (RFC 3659 §4.3). */
async function sizeOf(client: Client, name: string): Promise<number | undefined> {
  try {
    return await client.size(name);
  } catch (error) {
    if (error instanceof FTPError && error.code === 550) return undefined;
    throw error;
  }
}

/** RFC 959 does not say whether RNTO replaces a file. */
async function rename(client: Client, from: string, to: string): Promise<void> {
  try {
    await client.rename(from, to);
  } catch (error) {
    if (!(error instanceof FTPError) || (await sizeOf(client, to)) === undefined) throw error;
    await client.remove(to);
    await client.rename(from, to);
  }
}
