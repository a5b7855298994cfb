/** The effect of viewers that do not read on a server, and on viewers that do. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('stalled-viewers.mjs', import.meta.url));

export interface StalledViewers {
  /** As last heard. Who does not read does not hear of the end of his connection either. */
  seen(): { open: number; refused: number };
  close(): Promise<void>;
}

/** Each sends `requests` requests for the address at once and reads nothing of the answers. */
export function stalledViewers(address: string, count: number, requests = 8): StalledViewers {
  const { pathname } = new URL(address);
  return stalledClients(address, count, Array<string>(requests).fill(pathname));
}

/** Each sends requests for these paths of the address at once; a text instead, as it is. */
export function stalledClients(address: string, count: number, paths: readonly string[] | string): StalledViewers {
  const { hostname, port } = new URL(address);
  const requestFor = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`;
  const text = typeof paths === 'string' ? paths : paths.map(requestFor).join('');
  const child = spawn(process.execPath, [PROGRAM, hostname, port, String(count), text]);
  let seen = { open: 0, refused: 0 };
  child.stdout.on('data', (chunk: Buffer) => {
    const last = chunk.toString().trim().split('\n').at(-1);
    if (last !== undefined) seen = JSON.parse(last) as typeof seen;
  });
  const ended = once(child, 'exit');
  return {
    seen: () => seen,
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Resident memory of a process, in MB. */
export function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** Files and connections that a process holds. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Calls one after the other until `close`, which answers how long each took, in ms, shortest first. */
export function timedCalls(call: () => Promise<unknown>, pauseMs = 50): { close(): Promise<number[]> } {
  const times: number[] = [];
  let isOver = false;
  const loop = (async () => {
    while (!isOver) {
      const begun = performance.now();
      await call();
      times.push(performance.now() - begun);
      await sleep(pauseMs);
    }
  })();
  return {
    async close() {
      isOver = true;
      await loop;
      return times.sort((a, b) => a - b);
    },
  };
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** A viewer of a live media playlist who takes what he is given, from an address of his own. */
export class ReadingViewer {
  /** Seconds of media that he has, and how often he had nothing more to show. */
  seconds = 0;
  stalls = 0;
  private readonly playlist: string;
  private readonly localAddress: string;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly known = new Set<string>();
  private readonly loop: Promise<void>;
  private isOver = false;
  private begunAt = 0;
  private played = 0;

  constructor(playlist: string, localAddress: string) {
    this.playlist = playlist;
    this.localAddress = localAddress;
    this.loop = this.watch();
  }

  async close(): Promise<void> {
    this.isOver = true;
    await this.loop;
    this.agent.destroy();
  }

  private async watch(): Promise<void> {
    while (!this.isOver) {
      const lines = (await this.fetch(this.playlist)).toString().split('\n');
      for (const [index, line] of lines.entries()) {
        if (line === '' || line.startsWith('#') || this.known.has(line)) continue;
        this.known.add(line);
        await this.fetch(new URL(line, this.playlist).href);
        this.seconds += Number(/^#EXTINF:([\d.]+)/u.exec(lines[index - 1] ?? '')?.[1] ?? 0);
        if (this.begunAt === 0 && this.known.size > 1) this.begunAt = performance.now();
        this.look();
      }
      this.look();
      await sleep(200);
    }
  }

  /** His player begins when it has two segments, as players do at least. */
  private look(): void {
    if (this.begunAt === 0) return;
    const due = (performance.now() - this.begunAt) / 1000 - this.played;
    if (due <= this.seconds - this.played) return;
    this.stalls += 1;
    this.begunAt = performance.now();
    this.played = this.seconds;
  }

  private fetch(url: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const request = get(url, { agent: this.agent, localAddress: this.localAddress }, (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.once('error', reject);
        reply.once('end', () => {
          if (reply.statusCode === 200) resolve(Buffer.concat(chunks));
          else reject(new Error(`${url} answered ${reply.statusCode}`));
        });
      });
      request.once('error', reject);
    });
  }
}
