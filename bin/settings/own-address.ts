/**
 * The address of this machine's own server. With port 0 the server has another one at each start, and keeps it in its data folder for the
 * commands and `onair mcp`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../../device/atomic-file.ts';
import { identify, isAlive, type ProcessId } from '../../device/process.ts';

export interface Local {
  host: string;
  port: number;
  tlsCert?: string | undefined;
  data?: string | undefined;
}

interface Kept extends ProcessId {
  url: string;
}

const FILE = 'address.json';

/** The URL at which this machine reaches a server that listens on `host`; 0.0.0.0 and :: include the loopback address. */
export function localUrl(host: string, port: number, speaksTls: boolean): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${speaksTls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** The URL by the settings, or the one that the running server has chosen. */
export function ownUrl({ host, port, tlsCert, data }: Local): string {
  const kept = port === 0 && data !== undefined ? keptAddress(data) : undefined;
  // The address of one that has ended may be that of another program by now.
  return kept !== undefined && isAlive(kept.pid, kept.startTicks)
    ? kept.url
    : localUrl(host, port, tlsCert !== undefined);
}

/** Keeps the address of this process, and answers that of the server before it. */
export function keepAddress(data: string, url: string): string | undefined {
  const former = keptAddress(data)?.url;
  writeFileSync(join(data, FILE), `${JSON.stringify({ url, ...identify(process.pid) })}\n`, { mode: 0o600 });
  return former;
}

function keptAddress(data: string): Kept | undefined {
  // Without a file there was no server with such a port yet.
  const { url, pid, startTicks } = (readJson(join(data, FILE)) ?? {}) as Partial<Kept>;
  if (typeof url !== 'string' || typeof pid !== 'number' || typeof startTicks !== 'number') return undefined;
  return { url, pid, startTicks };
}
