/**
 * A bare Debian with Node, an init and a network of its own, in a folder: debootstrap fills it, systemd-nspawn starts it, and slirp4netns
 * carries what it sends elsewhere. It needs root.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './until.ts';

const execute = promisify(execFile);
const SUITE = 'bookworm';
const MIRROR = 'http://deb.debian.org/debian';
const INCLUDED = 'systemd,systemd-sysv,procps,openssl,ca-certificates,curl';
/** It is known by this name to itself, as a name server would have it. */
export const NAME = 'studio.example.com';
/** slirp4netns has these addresses for the machine around and for its resolver. */
export const HOST = '10.0.2.2';
const RESOLVER = '10.0.2.3';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Names the program that this machine lacks for it; undefined where it has all. */
export function machineMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  const programs = ['/usr/sbin/debootstrap', '/usr/bin/systemd-nspawn', '/usr/bin/slirp4netns', '/usr/bin/nsenter'];
  const missing = programs.find((path) => !existsSync(path));
  return missing && `needs ${missing}`;
}

export class DebianMachine {
  private container: ChildProcess | undefined;
  private network: ChildProcess | undefined;
  private init = 0;
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  async make(): Promise<void> {
    mkdirSync(dirname(this.dir), { recursive: true });
    await execute('debootstrap', ['--variant=minbase', `--include=${INCLUDED}`, SUITE, this.dir, MIRROR], {
      maxBuffer: 16 << 20,
    });
    writeFileSync(join(this.dir, 'etc/hosts'), `127.0.0.1 localhost ${NAME}\n`);
    writeFileSync(join(this.dir, 'etc/resolv.conf'), `nameserver ${RESOLVER}\n`);
    copyFileSync(process.execPath, join(this.dir, 'usr/local/bin/node'));
  }

  async boot(): Promise<void> {
    const words = ['--register=no', '--keep-unit', '--resolv-conf=off', '--private-network', '--boot', '-D', this.dir];
    const container = spawn('systemd-nspawn', words, { stdio: ['ignore', 'ignore', 'ignore'] });
    this.container = container;
    const isUp = async (): Promise<boolean> => {
      // A child that only makes the place of the init comes before it.
      this.init = childrenOf(container.pid ?? 0)[0] ?? 0;
      if (this.init === 0) return false;
      return this.run('systemctl is-system-running --wait').then(
        () => true,
        (error: { stdout?: string }) => /degraded/u.test(error.stdout ?? ''),
      );
    };
    await until('the machine is up', isUp, { everyMs: 500 });
    const network = ['--configure', '--mtu=1500', String(this.init), 'tap0'];
    this.network = spawn('slirp4netns', network, { stdio: 'ignore' });
    await until('its network', () => this.run('grep tap0 /proc/net/dev').catch(() => undefined), { everyMs: 200 });
  }

  /** As somebody restarts a machine: its init ends all that runs, and another one begins. */
  async reboot(): Promise<void> {
    const ended = once(this.container!, 'exit');
    // The shell ends with the machine.
    await this.run('systemctl reboot').catch(() => undefined);
    await ended;
    this.network?.kill('SIGKILL');
    await this.boot();
  }

  /** Runs a line of shell as root in the machine. Rejects with what it wrote where it fails. */
  async run(line: string, input = ''): Promise<string> {
    const environment = ['env', '-i', `PATH=${PATH}`, 'HOME=/root', 'DEBIAN_FRONTEND=noninteractive'];
    const words = ['-a', '-r', '-t', String(this.init), '--', ...environment, 'sh', '-c', line];
    const running = execute('nsenter', words, { maxBuffer: 64 << 20 });
    // A line that reads nothing may have ended before.
    running.child.stdin?.on('error', () => undefined).end(input);
    return (await running).stdout.trim();
  }

  /** A program of the machine around that has the network of this one. */
  spawnBeside(command: string, words: readonly string[]): ChildProcess {
    const inside = ['--net', '--target', String(this.init), '--', command, ...words];
    return spawn('nsenter', inside, { stdio: ['ignore', 'ignore', 'inherit'] });
  }

  place(from: string, to: string): void {
    copyFileSync(from, join(this.dir, to));
  }

  /** Ends the machine with all that runs in it, and removes it. */
  end(): void {
    try {
      if (this.init > 0) process.kill(this.init, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
    this.container?.kill('SIGKILL');
    this.network?.kill('SIGKILL');
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
