/** A real PostgreSQL server for a test: in a folder of its own, on a free port of this machine, as a user without rights. */
import { execFile, execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, chown, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { cleanUp, type Owner } from './clean-up.ts';
import { freePort } from './ports.ts';
import { atProcessEnd } from './process-end.ts';
import type { SmallDisk } from './servers/small-disk.ts';
import { until } from './until.ts';

const DEBIAN = '/usr/lib/postgresql';
/** The server refuses to run as root. Debian's package makes this user. */
const USER = 'postgres';
/** It waits for the disk as it does in earnest; the rest is what a small server on a busy machine needs. */
const SETTINGS = [
  'fsync = on',
  'synchronous_commit = on',
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  'max_connections = 80',
  'shared_buffers = 32MB',
  'autovacuum_naptime = 10s',
  // Otherwise each start after a kill waits for a thousand small files.
  'recovery_init_sync_method = syncfs',
  'logging_collector = off',
];

function program(name: string): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const path = versions.map((version) => join(DEBIAN, version, 'bin', name)).find((each) => existsSync(each));
  if (path === undefined) throw new Error('PostgreSQL is not installed: node scripts/setup.mjs test installs it.');
  return path;
}

function asUser(): Pick<SpawnOptions, 'uid' | 'gid'> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, USER], { encoding: 'utf8' })));
  return { uid: uid!, gid: gid! };
}

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'onair-postgres-'));
  const { uid, gid } = asUser();
  if (uid !== undefined) await chown(folder, uid, gid!);
  return folder;
}

let template: Promise<string> | undefined;

/** A cluster is made once a process and copied: making one takes a second. */
async function madeTemplate(): Promise<string> {
  const folder = await ownFolder();
  process.once('exit', () => execFileSync('rm', ['-rf', folder]));
  const data = join(folder, 'data');
  const words = ['-D', data, '-U', 'onair', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(program('initdb'), words, { ...asUser(), stdio: 'pipe', cwd: folder });
  await appendFile(join(data, 'postgresql.conf'), `\n${SETTINGS.join('\n')}\n`);
  return data;
}

let shared: Promise<PostgresServer> | undefined;

/** One server for the tests of this process, started by the first that asks. A test has a database of its own in it. */
export function sharedServer(): Promise<PostgresServer> {
  return (shared ??= PostgresServer.start({ after: atProcessEnd }));
}

export class PostgresServer {
  readonly port: number;
  readonly data: string;
  private readonly disk: SmallDisk | undefined;
  private child: ChildProcess | undefined;
  private databases = 0;

  private constructor(data: string, port: number, disk?: SmallDisk) {
    this.data = data;
    this.port = port;
    this.disk = disk;
  }

  /** Goes with its owner. `settings` are lines of postgresql.conf. */
  static async start(owner: Owner, settings: readonly string[] = []): Promise<PostgresServer> {
    const folder = await ownFolder();
    return PostgresServer.startIn(owner, settings, folder, join(folder, 'data'));
  }

  /** Its data are on a disk that runs full. */
  static async onSmallDisk(owner: Owner, disk: SmallDisk, settings: readonly string[] = []): Promise<PostgresServer> {
    const { uid, gid } = asUser();
    await chown(disk.outside, uid!, gid!);
    return PostgresServer.startIn(owner, settings, join(disk.outside, 'data'), join(disk.outside, 'data'), disk);
  }

  private static async startIn(
    owner: Owner,
    settings: readonly string[],
    folder: string,
    data: string,
    disk?: SmallDisk,
  ): Promise<PostgresServer> {
    template ??= madeTemplate();
    await cp(await template, data, { recursive: true, preserveTimestamps: true });
    const { uid, gid } = asUser();
    if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, data]);
    execFileSync('chmod', ['-R', 'u=rwX,go=', data]);
    const server = new PostgresServer(data, await freePort(), disk);
    cleanUp(owner, async () => {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    });
    await server.set(...settings);
    await server.run();
    return server;
  }

  /** A standby of another server, which follows it as `name`. It takes connections, and no writes. */
  static async standbyOf(owner: Owner, primary: PostgresServer, name: string): Promise<PostgresServer> {
    const folder = await ownFolder();
    const data = join(folder, 'data');
    const from = `host=127.0.0.1 port=${primary.port} user=onair application_name=${name}`;
    const words = ['-D', data, '-d', from, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
    // It takes seconds on a busy machine, and lines of the test go on meanwhile.
    await promisify(execFile)(program('pg_basebackup'), words, { ...asUser(), cwd: folder });
    const server = new PostgresServer(data, await freePort());
    cleanUp(owner, async () => {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    });
    await server.run();
    return server;
  }

  /** A standby takes writes from then on. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 30)');
  }

  async set(...settings: readonly string[]): Promise<void> {
    await appendFile(join(this.data, 'postgresql.conf'), `${settings.join('\n')}\n`);
  }

  /** Starts it, again after it was killed. */
  async run(): Promise<void> {
    const child = this.spawnServer();
    let log = '';
    child.stderr!.on('data', (text: Buffer) => (log = `${log}${text.toString()}`.slice(-20_000)));
    child.unref();
    this.child = child;
    await until(
      'PostgreSQL takes connections',
      async () => {
        if (child.exitCode !== null) throw new Error(`PostgreSQL has ended: ${log}`);
        return this.query('select 1', 'postgres').then(
          () => true,
          () => false,
        );
      },
      { everyMs: 20 },
    );
  }

  private spawnServer(): ChildProcess {
    const { disk, data, port } = this;
    const stdio: SpawnOptions['stdio'] = ['ignore', 'ignore', 'pipe'];
    if (disk === undefined)
      return spawn(program('postgres'), ['-D', data, '-p', String(port)], { ...asUser(), cwd: data, stdio });
    const { uid, gid } = asUser();
    const user = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
    const server = [program('postgres'), '-D', join(disk.path, 'data'), '-p', String(port)];
    return spawn(...disk.inside('setpriv', [...user, ...server]), { cwd: '/', stdio });
  }

  /** The server and all its children end at once, as with the power of the machine, but for what the kernel has yet to write. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    // Stopped first, so that it starts nobody while its children end.
    child.kill('SIGSTOP');
    const children = childrenOf(child.pid);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    for (const pid of children) killIfThere(pid);
    await gone;
    await until('its processes are gone', () => children.every((pid) => !existsSync(`/proc/${pid}`)), { everyMs: 5 });
  }

  /** A clean stop that waits for nobody. */
  async stop(): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || child.exitCode !== null) return;
    child.ref();
    const gone = once(child, 'exit');
    child.kill('SIGINT');
    await gone;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.run();
  }

  /** The database loses all that `task` commits: it is replaced by a copy of before. */
  async goBack(url: string, task: () => Promise<void>): Promise<void> {
    const name = new URL(url).pathname.slice(1);
    await this.keepOff(name);
    await this.query(`create database ${name}_before template ${name}`);
    await this.query(`alter database ${name} allow_connections true`);
    await task();
    await this.keepOff(name);
    await this.query(`drop database ${name}`);
    await this.query(`alter database ${name}_before rename to ${name}`);
  }

  /** Nobody is connected to the database, nor can be. */
  private async keepOff(name: string): Promise<void> {
    await this.query(`alter database ${name} allow_connections false`);
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
    await until('nobody is connected', async () => (await this.query(end)).length === 0);
  }

  signal(name: NodeJS.Signals): void {
    for (const pid of [this.child!.pid!, ...childrenOf(this.child!.pid!)]) killIfThere(pid, name);
  }

  /** Ends the connections of everybody else. */
  async endConnections(): Promise<void> {
    await this.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
    );
  }

  /** A new database; empty, or a copy of the one at `template`, to which nobody may be connected. */
  async database(template?: string): Promise<string> {
    this.databases += 1;
    const name = `store_${this.databases}`;
    const from = template === undefined ? '' : ` template ${new URL(template).pathname.slice(1)}`;
    await this.query(`create database ${name}${from}`);
    return this.url(name);
  }

  url(database: string): string {
    return `postgres://onair@127.0.0.1:${this.port}/${database}`;
  }

  /** Reads the settings again, and returns once each connection has them with its next statement. */
  async reload(): Promise<void> {
    const loadedAt = async (): Promise<unknown> =>
      (await this.query('select pg_conf_load_time()::text as at'))[0]!['at'];
    const before = await loadedAt();
    await this.query('select pg_reload_conf()');
    // The server tells its processes of it before it takes a new connection.
    await until('the settings are read again', async () => (await loadedAt()) !== before);
  }

  async query(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url(database), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]) === parent ? [pid] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

function killIfThere(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
