/** The three servers on one database, and what each takes: processor time, memory, and how late its event loop is. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUp, type Owner } from '../../test/helpers/clean-up.ts';
import { startMembers, type Member } from '../../test/helpers/fleet.ts';
import { PostgresServer } from '../../test/helpers/postgres.ts';
import { until } from '../../test/helpers/until.ts';
import { processorSeconds } from '../cpu.ts';
import { megabytesOf } from '../copy/use.ts';
import { lateness, type Lateness } from './lateness.ts';

const PROBE = fileURLToPath(new URL('loop-probe.mjs', import.meta.url));
/** Three servers have some ten connections each; the rest is what a small database server has. */
const DATABASE = ['shared_buffers = 256MB', 'max_connections = 100'];

export interface Use {
  /** Processor seconds since the start of each. */
  servers: number[];
  database: number;
}

export class Servers {
  readonly members: readonly Member[];
  readonly database: PostgresServer;

  private readonly databaseName: string;

  private constructor(members: readonly Member[], database: PostgresServer, url: string) {
    this.members = members;
    this.database = database;
    this.databaseName = new URL(url).pathname.slice(1);
  }

  static async start(owner: Owner, count: number, profileDir?: string): Promise<Servers> {
    if (profileDir !== undefined) mkdirSync(profileDir, { recursive: true });
    const database = await PostgresServer.start(owner, DATABASE);
    const settings: NodeJS.ProcessEnv = {
      NODE_OPTIONS: `--import ${PROBE}`,
      ONAIR_RATE_LIMIT: '0',
      ONAIR_LOG_LEVEL: 'warn',
      ONAIR_OTHER_LOAD: 'count',
      ...(profileDir !== undefined && { PROBE_PROFILES: profileDir }),
    };
    const url = await database.database();
    const members = await startMembers(owner, url, count, settings);
    if (profileDir !== undefined) cleanUp(owner, () => keepLogs(members, profileDir));
    return new Servers(members, database, url);
  }

  get urls(): string[] {
    return this.members.map(({ service }) => service.url);
  }

  get ports(): number[] {
    return this.members.map(({ devicePort }) => devicePort);
  }

  /** Rows of the store, as the database itself has them. */
  query(text: string): Promise<Record<string, unknown>[]> {
    return this.database.query(text, this.databaseName);
  }

  use(): Use {
    return {
      servers: this.members.map(({ service }) => processorSeconds(service.pid)),
      database: this.databasePids().reduce((sum, pid) => sum + processorSeconds(pid), 0),
    };
  }

  /** Proportional set size of each server, MB. */
  memory(): number[] {
    return this.members.map(({ service }) => megabytesOf(service.pid));
  }

  /** How late the event loops of these have been since the last call; `members` must run. */
  async lateness(members: readonly Member[] = this.members): Promise<Lateness> {
    const counts = await Promise.all(members.map((member) => this.latenessOf(member)));
    return lateness(counts.flat());
  }

  private async latenessOf(member: Member): Promise<[number, number][]> {
    const { service } = member;
    const before = linesIn(service.output()).length;
    process.kill(service.pid, 'SIGUSR2');
    const lines = await until('the probe answers', () => {
      const present = linesIn(service.output());
      return present.length > before && present;
    });
    return JSON.parse(lines.at(-1)!) as [number, number][];
  }

  /** Calls that a server has failed to answer, as its log has them. */
  get failures(): string[] {
    return this.members.flatMap(({ service }) =>
      service
        .output()
        .split('\n')
        .filter((line) => /"msg":"(?:REST )?call failed/u.test(line)),
    );
  }

  /** The messages of their logs, the most frequent first, each with how often it is there. */
  get messages(): string[] {
    const counts = new Map<string, number>();
    for (const { service } of this.members)
      for (const [, message = ''] of service.output().matchAll(/"msg":"([^"\\]*)/gu)) {
        const kind = message.replace(/\d+/gu, '…');
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
    return [...counts].sort(([, a], [, b]) => b - a).map(([message, count]) => `${count} × ${message}`);
  }

  /** Those of its connections come and go; the time of one that has gone is the first one's. */
  private databasePids(): number[] {
    try {
      const postmaster = Number(readFileSync(`${this.database.data}/postmaster.pid`, 'utf8').split('\n')[0]);
      const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim();
      return [postmaster, ...children.split(' ').filter(Boolean).map(Number)];
    } catch {
      // It is being started again.
      return [];
    }
  }
}

function keepLogs(members: readonly Member[], dir: string): void {
  for (const [at, { service }] of members.entries()) writeFileSync(join(dir, `server-${at + 1}.log`), service.output());
}

function linesIn(output: string): string[] {
  return [...output.matchAll(/^event loop (.*)$/gmu)].map(([, line]) => line!);
}
