/** A server program that a test starts: its scratch folder, its port, its end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.ts';

const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;

export interface Running {
  port: number;
  stop(): Promise<void>;
}

export function scratchFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `onair-${name}-`));
}

export function removeFolder(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

/** Debian packages whose file or command is not there; a test that needs them is skipped by name. */
export function lacking(needs: Record<string, string>): string | false {
  const folders = PATH.split(':');
  const isThere = (probe: string): boolean =>
    probe.startsWith('/') ? existsSync(probe) : folders.some((folder) => existsSync(join(folder, probe)));
  const missing = Object.entries(needs).filter(([, probe]) => !isThere(probe));
  return missing.length === 0 ? false : `install ${missing.map(([name]) => name).join(', ')}`;
}

/** Starts it and waits until something answers on `port`; what it says on standard error is told when it ends before. */
export async function startProgram(command: string, args: readonly string[], port: number): Promise<Running> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, PATH } });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4000)));
  const ended = once(child, 'exit');
  const listens = async (): Promise<boolean> => {
    assert.equal(child.exitCode, null, `${command} ended: ${output}`);
    return accepts(port);
  };
  await until(`${command} listens on port ${port}`, listens, { everyMs: 20 });
  return {
    port,
    async stop() {
      // Scratch servers have nothing to save.
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Accepts every connection and never says a word. */
export async function startSilentServer(): Promise<Running & { server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
