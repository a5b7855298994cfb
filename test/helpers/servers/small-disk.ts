/**
 * A file system of a few MB that runs full for real: a tmpfs in a mount namespace of its own, which nothing outside sees and which goes
 * with its last process. Who may not mount (most containers, unless they are told to) is told so by name.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { lacking, removeFolder, scratchFolder } from './program.ts';

const MOUNT = 'mount -t tmpfs -o "size=$1,mode=755" none "$2"';
const FILLER = '.filler';

export function smallDiskMissing(): string | false {
  const missing = lacking({ 'util-linux': 'nsenter' });
  if (missing !== false) return missing;
  const { status } = spawnSync('unshare', ['-m', 'sh', '-c', MOUNT, 'sh', '1m', '/mnt'], { stdio: 'ignore' });
  return status === 0 ? false : 'run as root with the right to mount (CAP_SYS_ADMIN)';
}

export interface SmallDisk {
  /** Its folder for a program that is run `inside`. */
  path: string;
  /** The same folder for everybody else. */
  outside: string;
  /** The command line by which a program sees it. */
  inside(command: string, args: readonly string[]): [string, string[]];
  /** Takes all room but `left` bytes. */
  fill(left?: number): void;
  /** Gives that room back. */
  free(): void;
  stop(): Promise<void>;
}

export async function openSmallDisk(bytes: number): Promise<SmallDisk> {
  const path = scratchFolder('small-disk');
  const script = `${MOUNT} && echo ready && exec sleep infinity`;
  const holder = spawn('unshare', ['-m', 'sh', '-c', script, 'sh', String(bytes), path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(holder, 'exit');
  const [output] = (await Promise.race([once(holder.stdout, 'data'), ended])) as [unknown];
  assert.equal(String(output), 'ready\n', 'it was mounted');
  const outside = join(`/proc/${holder.pid}/root`, path);
  const filler = join(outside, FILLER);
  return {
    path,
    outside,
    inside: (command, args) => ['nsenter', ['-t', String(holder.pid), '-m', command, ...args]],
    fill(left = 0) {
      const file = openSync(filler, 'w');
      const size = writeAll(file);
      closeSync(file);
      truncateSync(filler, Math.max(0, size - left));
    },
    free: () => rmSync(filler),
    async stop() {
      holder.kill('SIGKILL');
      await ended;
      removeFolder(path);
    },
  };
}

/** Until there is no room; answers how many bytes it took. */
function writeAll(file: number): number {
  const block = Buffer.alloc(65_536);
  let size = 0;
  for (;;) {
    try {
      size += writeSync(file, block);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC', String(error));
      return size;
    }
  }
}
