/** SFTP over SSH with a password. The host key is checked before the password is sent. */
import { createHash } from 'node:crypto';
import SftpClient from 'ssh2-sftp-client';
import type { TargetFolder } from '../../domain/shapes/media/folder.ts';
import {
  FolderFault,
  forbiddenReason,
  FULL,
  missingFolder,
  folderLabel,
  WRONG_CREDENTIALS,
  type FolderProtocol,
} from './folder.ts';
import { connectTcp } from './network.ts';
import { isFull, readFile, writeFile } from './sftp-file.ts';

/** `onHostKey` hears the fingerprint of the key that the server has proven to have. */
export type SftpFolder = Readonly<TargetFolder> & { onHostKey: (fingerprint: string) => void };
export const SFTP_PORT = 22;

/** The form is that of ssh-keygen -l. */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/u, '')}`;
}

/** Name, instructions, language and questions (RFC 4256 §3). */
type KeyboardInteractive = [string, string, string, { echo?: boolean }[], (answers: string[]) => void];
const silent = (): void => undefined;

export const sftp: FolderProtocol<SftpFolder> = {
  resumes: true,
  whole: false,
  async open(folder, signal) {
    const { host_fingerprint: trusted } = folder;
    const sock = await connectTcp({ host: folder.host ?? '', port: folder.port ?? SFTP_PORT }, signal);
    // The library's own callbacks print on stdout, which may carry a protocol of ours.
    const client = new SftpClient('onair', { error: silent, end: silent, close: silent });
    let fingerprint: string | undefined;
    // Servers that ask through PAM offer no other way for a password; a question with an echo asks for something else.
    client.on('keyboard-interactive', (...[, , , questions, answer]: KeyboardInteractive) => {
      answer(questions.map(({ echo }) => (echo === true ? '' : (folder.password ?? ''))));
    });
    try {
      const session = await client.connect({
        sock,
        username: folder.user ?? '',
        password: folder.password ?? '',
        tryKeyboard: true,
        readyTimeout: 0,
        hostVerifier: (key: Buffer) => {
          fingerprint = fingerprintOf(key);
          return trusted === null || fingerprint === trusted;
        },
      });
      if (fingerprint !== undefined) folder.onHostKey(fingerprint);
      const root = await client.realPath(folder.folder ?? '.');
      const pathOf = (name: string): string => `${root === '/' ? '' : root}/${name}`;
      // Some servers resolve names that do not exist.
      const { isDirectory } = await client.stat(root);
      if (!isDirectory) throw new FolderFault(`${JSON.stringify(folder.folder)} is a file, not a folder`);
      return {
        send: (name, file) =>
          writeFile(session, pathOf(name), file).catch(async (error: unknown) => {
            // Version 3 of the protocol has no code for a full disk: every other error is a plain failure. A server that cannot tell its
            // space leaves the failure as it is.
            const isOut = isFailure(error) && (await isFull(session, root).catch(() => false));
            throw isOut ? new FolderFault(FULL, error.message) : error;
          }),
        sizeOf: async (name) =>
          (await client.exists(pathOf(name))) ? (await client.stat(pathOf(name))).size : undefined,
        receive: (name, sink) => readFile(session, pathOf(name), sink),
        async rename(from, to) {
          // Version 3 of the protocol fails where the other name is taken.
          if (await client.exists(pathOf(to))) await client.delete(pathOf(to));
          await client.rename(pathOf(from), pathOf(to));
        },
        remove: async (name) => void (await client.delete(pathOf(name))),
        close: () => void sock.destroy(),
      };
    } catch (error) {
      sock.destroy();
      if (trusted !== null && fingerprint !== undefined && fingerprint !== trusted)
        throw changedKey(trusted, fingerprint);
      throw error;
    }
  },

  explain(error, step, { folder }) {
    const { code, message } = error as { code?: unknown; message: string };
    if (/authentication methods failed/u.test(message)) return { reason: WRONG_CREDENTIALS };
    if (/No space left|quota/iu.test(message)) return { reason: FULL, upstream: message };
    // draft-ietf-secsh-filexfer-02 §7: 2 is a missing file, 3 a denied permission.
    if (code === 2 || code === 'ENOENT' || /No such file/iu.test(message)) {
      return {
        reason: step === 'open' ? missingFolder(folder) : forbiddenReason(step, folderLabel(folder)),
        upstream: message,
      };
    }
    if (code === 3 || code === 'EACCES' || /Permission denied/iu.test(message)) {
      return { reason: forbiddenReason(step, folderLabel(folder)), upstream: message };
    }
    if (/Unable to start subsystem|Unable to exec/iu.test(message)) {
      return { reason: 'the server offers SSH but no SFTP', upstream: message };
    }
    return undefined;
  },
};

/** Code 4 is a plain failure (draft-ietf-secsh-filexfer-02 §7). */
function isFailure(error: unknown): error is Error {
  return error instanceof Error && (error as { code?: unknown }).code === 4;
}

function changedKey(trusted: string, fingerprint: string): FolderFault {
  return new FolderFault(
    `the host key has changed: ${trusted} was trusted, ${fingerprint} was found, and no password was sent. ` +
      'If the server was renewed on purpose, set host_fingerprint to the new value, or to null, and validate again',
  );
}
