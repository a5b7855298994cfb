/** The fleet that is harmed: servers, simulated Devices, rows, callers; and what can be asked of it at any moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import { callOnce, callUntilAnswered } from '../../test/helpers/fleet-calls.ts';
import type { Member } from '../../test/helpers/fleet.ts';
import type { Background } from './background.ts';
import type { Devices } from './devices.ts';
import { eachOf } from './rows.ts';
import type { Servers } from './servers.ts';
import type { Span, Usage } from './usage.ts';

export interface Scene {
  servers: Servers;
  devices: Devices;
  background: Background;
  usage: Usage;
  /** Ids of the Live streams, rack by rack. */
  racks: number[][];
  /** Numbers of Devices that may fall silent. */
  frail: number[];
  /** Orders that had reached the Devices before the first fault. */
  startsBefore: number;
  /** Stops that were ordered so far. */
  orderedStops: number;
  /** Faults that were not over within their bound. */
  unfinished: string[];
  random: () => number;
  say: (text: string) => void;
}

/** A state that a fault brought about is over by then, or never is. */
const BOUND_MS = 180_000;
const LOOK_MS = 100;
const STARTS_AT_ONCE = 64;

/** Rejects when it is not so within the bound. */
export async function waitFor(
  what: string,
  probe: () => Promise<boolean> | boolean,
  boundMs = BOUND_MS,
): Promise<void> {
  const end = performance.now() + boundMs;
  while (!(await probe())) {
    if (performance.now() > end) throw new Error(`Not within ${boundMs / 1000} s: ${what}`);
    await sleep(LOOK_MS);
  }
}

/** Answers the seconds that it took. */
export async function secondsOf(task: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await task();
  return (performance.now() - from) / 1000;
}

export async function spanOf<T>(task: () => Promise<T>): Promise<T & Span> {
  const from = Date.now();
  const found = await task();
  return { ...found, from, to: Date.now() };
}

export const pause = (seconds: number): Promise<void> => sleep(seconds * 1000);

/** Every Device of these has a connection to a server that was made since `since`, or that is none of the server at `but`. */
export function areConnected({ devices }: Scene, but: readonly number[] = [], since = 0): boolean {
  return [...devices.ids.keys()].every((number) => {
    const { port = null, at = 0 } = devices.connections.get(number) ?? {};
    return port !== null && (at > since || !but.includes(port));
  });
}

/** Whether this server says that all simulated Devices but `except` are online. */
export async function saysOnline({ devices }: Scene, url: string, except: readonly number[] = []): Promise<boolean> {
  const online = await onlineAt(url);
  return [...devices.ids].every(([number, id]) => except.includes(number) || online.has(id));
}

/** Ids of the Devices that the server calls online; none where it does not answer. */
export async function onlineAt(url: string): Promise<Set<number>> {
  const answer = await callOnce(url, 'GET', { path: '/devices/status' }).catch(() => undefined);
  const rows = (answer?.body?.data?.devices ?? []) as { deviceId: number; online: boolean }[];
  return new Set(rows.filter(({ online }) => online).map(({ deviceId }) => deviceId));
}

/** Whether all Devices obey servers that are there, as this one says. */
export async function areOwned({ devices }: Scene, url: string): Promise<boolean> {
  const answer = await callOnce(url, 'GET', { path: '/system/members' }).catch(() => undefined);
  const members = (answer?.body?.data?.members ?? []) as { state: string; devices: number[] }[];
  const owned = new Set(members.filter(({ state }) => state === 'up').flatMap((member) => member.devices));
  return [...devices.ids.values()].every((id) => owned.has(id));
}

/** Live streams with that status, as the first server has them. */
export async function countOfStatus({ servers }: Scene, status: number): Promise<number> {
  const path = `/livestreams/status?status=${status}&pageSize=1`;
  const { body } = await callUntilAnswered(servers.urls, { method: 'GET', path });
  return body.pagination.total as number;
}

/** Ids of up to a page of those that have it. */
export async function withStatus({ servers }: Scene, status: number): Promise<number[]> {
  const path = `/livestreams/status?status=${status}&pageSize=500`;
  const { body } = await callUntilAnswered(servers.urls, { method: 'GET', path });
  return (body.rows as { livestreamId: number }[]).map(({ livestreamId }) => livestreamId);
}

/** Answers the seconds until all starts, or stops, were answered. Throws when one is refused. */
export async function order({ servers }: Scene, word: 'start' | 'stop', ids: readonly number[]): Promise<number> {
  const { urls } = servers;
  const now = Date.now();
  return secondsOf(() =>
    eachOf(
      ids.length,
      async (number) => {
        const path = `/livestreams/${ids[number]}/${word}`;
        const inTurn = urls.map((_, at) => urls[(number + at) % urls.length]!);
        const key = `${word} ${ids[number]} ${now}`;
        const call = { method: 'POST', path, body: {}, key, timeoutMs: 30_000 };
        const { status, body } = await callUntilAnswered(inTurn, call);
        if (status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
      },
      STARTS_AT_ONCE,
    ),
  );
}

/** Every server takes a write. */
export async function takeWrites({ servers, racks }: Scene, mark: string): Promise<void> {
  for (const url of servers.urls) {
    const execute_at = new Date(Date.now() + 86_400_000).toISOString();
    const body = { type: 'text', execute_at, payload: { text: `${mark} ${url}`, action: 'show' } };
    const call = { method: 'POST', path: `/livestreams/${racks[0]![0]}/actions`, body, key: `${mark} ${url}` };
    const { status } = await callUntilAnswered([url], call);
    if (status !== 201) throw new Error(`a write at ${url}: ${status}`);
  }
}

export function othersThan({ servers }: Scene, member: Member): Member[] {
  return servers.members.filter((other) => other !== member);
}
