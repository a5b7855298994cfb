/** A bare Debian with Node and an init of its own, in a folder: debootstrap fills it, systemd-nspawn starts it. It needs root and the network of Debian. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './until.ts';

const execute = promisify(execFile);
const SUITE = 'bookworm';
const MIRROR = 'http://deb.debian.org/debian';
const INCLUDED = 'systemd,systemd-sysv,openssl,ca-certificates,curl';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Names the program that this machine lacks for it; undefined where it has all. */
export function machineMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  const programs = ['/usr/sbin/debootstrap', '/usr/bin/systemd-nspawn', '/usr/bin/nsenter'];
  const missing = programs.find((path) => !existsSync(path));
  return missing && `needs ${missing}`;
}

export class DebianMachine {
  private container: ChildProcess | undefined;
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
    writeFileSync(join(this.dir, 'etc/hosts'), '127.0.0.1 localhost\n');
    copyFileSync('/etc/resolv.conf', join(this.dir, 'etc/resolv.conf'));
    copyFileSync(process.execPath, join(this.dir, 'usr/local/bin/node'));
  }

  async boot(): Promise<void> {
    const words = ['--register=no', '--keep-unit', '--resolv-conf=off', '--boot', '-D', this.dir];
    const container = spawn('systemd-nspawn', words, { stdio: ['ignore', 'ignore', 'ignore'] });
    this.container = container;
    const init = await until('the init of the machine', () => childrenOf(container.pid ?? 0)[0], 60_000);
    this.init = init;
    const isUp = (): Promise<boolean> =>
      this.run('systemctl is-system-running --wait').then(
        () => true,
        (error: { stdout?: string }) => /degraded/u.test(error.stdout ?? ''),
      );
    await until('the machine is up', isUp, 60_000, 500);
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

/** The same package as a later version, whose program is another one to those that compare. */
export function laterVersion(path: string, version: string, folder: string): string {
  const tree = join(folder, 'later');
  execFileSync('dpkg-deb', ['--raw-extract', path, tree]);
  const control = join(tree, 'DEBIAN/control');
  writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/mu, `Version: ${version}`));
  const entry = join(tree, 'usr/lib/onair/dist/onair.js');
  writeFileSync(entry, `${readFileSync(entry, 'utf8')}\n// ${version}\n`);
  const later = join(folder, `onair_${version}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', tree, later], { stdio: 'ignore' });
  return later;
}
