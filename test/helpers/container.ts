/** A container by podman, of an image that is in its store. It needs root. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const execute = promisify(execFile);
/** Debian's runc goes with every hierarchy of cgroups; and a machine that is a guest itself may not raise limits, as podman does unasked. */
const FOR_GUESTS = ['--ulimit=nofile=8192:8192', '--ulimit=nproc=4096:4096'];
/** The intervals of a health check need systemd; the test runs it itself. */
const UNWATCHED = '--health-interval=disable';

/** Names the program that this machine lacks for it; undefined where it has all. */
export function containerMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  const missing = ['/usr/bin/podman', '/usr/sbin/runc', '/usr/bin/buildah'].find((path) => !existsSync(path));
  return missing && `needs ${missing}`;
}

export interface ContainerParts {
  name: string;
  image: string;
  /** The volume, and the folder that it has in the container. */
  volume: readonly [name: string, folder: string];
  env: Record<string, string>;
  /** Flags of `podman run`. */
  bounds: readonly string[];
}

export class Container {
  private readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  /** It has the network of this machine, and is its program in the background. */
  static async start({ name, image, volume, env, bounds }: ContainerParts): Promise<Container> {
    const variables = Object.entries(env).map(([key, value]) => `--env=${key}=${value}`);
    const place = [`--name=${name}`, '--network=host', `--volume=${volume.join(':')}`];
    await podman('run', '--detach', ...place, UNWATCHED, ...FOR_GUESTS, ...bounds, ...variables, image);
    return new Container(name);
  }

  /** Answers what a command in the container writes to stdout. Rejects with all that it wrote where it fails. */
  run(...words: string[]): Promise<string> {
    return podman('exec', this.name, ...words);
  }

  async processes(): Promise<{ pid: number; command: string; isZombie: boolean }[]> {
    const lines = (await podman('top', this.name, 'pid', 'state', 'args')).split('\n').slice(1);
    return lines.map((line) => {
      const [, pid = '', state, command = ''] = /^(\d+) +(\S+) +(.*)$/u.exec(line) ?? [];
      return { pid: Number(pid), command, isZombie: state === 'Z' };
    });
  }

  copyIn(from: string, to: string): Promise<string> {
    return podman('cp', from, `${this.name}:${to}`);
  }

  /** The check of the image, as a runtime makes it. */
  isHealthy(): Promise<boolean> {
    return podman('healthcheck', 'run', this.name).then(
      () => true,
      () => false,
    );
  }

  async log(): Promise<string> {
    const { stdout, stderr } = await execute('podman', ['logs', this.name], { maxBuffer: 64 << 20 });
    return stdout + stderr;
  }

  /** SIGTERM to its main process, as at the end of a machine; answers the code that it ended with. */
  async stop(graceSeconds: number): Promise<number> {
    await podman('stop', `--time=${graceSeconds}`, this.name);
    return Number(await podman('inspect', '--format={{.State.ExitCode}}', this.name));
  }

  remove(): void {
    execFileSync('podman', ['rm', '--force', '--time=1', this.name], { stdio: 'ignore' });
  }
}

export async function podman(...words: string[]): Promise<string> {
  const runtime = '--runtime=/usr/sbin/runc';
  return (await execute('podman', [runtime, ...words], { maxBuffer: 64 << 20 })).stdout.trim();
}
