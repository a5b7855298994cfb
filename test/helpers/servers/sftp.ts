/**
 * OpenSSH's sftp-server behind the SSH server of the ssh2 package: sshd takes passwords of system accounts only, and a test must not
 * make one. `readonly` starts sftp-server with -R;
 * `asks` takes the password by keyboard-interactive alone, as PAM does. `disk`: what lies there.
 */
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { lacking, removeFolder, scratchFolder, type Running } from './program.ts';
import type { SmallDisk } from './small-disk.ts';

const SFTP_SERVER = '/usr/lib/openssh/sftp-server';
export const sftpMissing = lacking({ 'openssh-sftp-server': SFTP_SERVER });

export interface SftpServer extends Running {
  /** Existing folder, absolute path. */
  files: string;
  /** Passwords that were offered: none must reach a server with a changed key. */
  offered: string[];
}

interface SftpOptions {
  hostKey?: string;
  port?: number;
  readonly?: boolean;
  asks?: boolean;
  disk?: SmallDisk;
}

/** The keys are made by Node: of the Ed25519 keys that ssh2 makes, three in a thousand cannot be read, by ssh2 either. */
export function newHostKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'sec1', format: 'pem' })
    .toString();
}

export async function startSftp(
  user: string,
  password: string,
  { hostKey = newHostKey(), port = 0, readonly = false, asks = false, disk }: SftpOptions = {},
): Promise<SftpServer> {
  const dir = scratchFolder('sftp');
  const files = disk?.path ?? join(dir, 'files');
  if (disk === undefined) mkdirSync(files);
  const offered: string[] = [];
  const connections = new Set<Connection>();
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (connection) => {
    connections.add(connection);
    connection.on('error', () => undefined).on('close', () => connections.delete(connection));
    connection.on('authentication', (context) => {
      if (asks && context.method === 'keyboard-interactive') {
        const questions = [{ prompt: 'Password: ', echo: false }];
        return context.prompt(questions, ([answer]) => (answer === password ? context.accept() : context.reject()));
      }
      if (asks || context.method !== 'password') return context.reject([asks ? 'keyboard-interactive' : 'password']);
      offered.push(context.password);
      if (context.username === user && context.password === password) context.accept();
      else context.reject(['password']);
    });
    connection.on('session', (accept) => {
      accept().on('subsystem', (acceptChannel, reject, { name }) => {
        if (name === 'sftp') serve(acceptChannel(), readonly, disk);
        else reject();
      });
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    files,
    offered,
    async stop() {
      for (const connection of connections) connection.end();
      server.close();
      await once(server, 'close');
      removeFolder(dir);
    },
  };
}

function serve(channel: ServerChannel, readonly: boolean, disk?: SmallDisk): void {
  const args = readonly ? ['-R'] : [];
  const [command, all] = disk?.inside(SFTP_SERVER, args) ?? [SFTP_SERVER, args];
  const child = spawn(command, all, { stdio: ['pipe', 'pipe', 'ignore'] });
  channel.pipe(child.stdin);
  child.stdout.pipe(channel);
  // The client may be gone before the program has read the last of it.
  child.stdin.on('error', () => undefined);
  channel.once('close', () => child.kill('SIGKILL'));
}
