/** The faults of a large fleet. Each answers when it was, and what of it was measured; it ends when all is as before. */
import type { Member } from '../../test/helpers/fleet.ts';
import { areConnected, areOwned, countOfStatus, onlineAt, order, othersThan } from './scene.ts';
import { pause, saysOnline, secondsOf, spanOf, takeWrites, waitFor, type Scene } from './scene.ts';
import type { Span } from './usage.ts';

export const EVENTS_AT_ONCE = 10;
/** Longer than a Device may change its server in: it counts as away then. */
const SILENCE_SECONDS = 8;
/** So long a server is away that something else starts again. */
const AWAY_SECONDS = 3;

export interface Burst extends Span {
  starts: number;
  /** Seconds from the first call: until all were answered, until all orders had reached their Devices, and until all were on air. */
  answered: number;
  handedOver: number;
  onAir: number;
}

/** All Live streams of a rack are started at once. The first rack was never started before; each later one is stopped first. */
export async function burst(scene: Scene, round: number): Promise<Burst> {
  const ids = scene.racks[round % scene.racks.length]!;
  if (round > 0) await takeOff(scene, ids);
  const [before, startsBefore] = [await countOfStatus(scene, 2), (await scene.devices.counted()).starts];
  return spanOf(async () => {
    const from = performance.now();
    const since = (): number => (performance.now() - from) / 1000;
    const answering = order(scene, 'start', ids);
    const isHandedOver = async (): Promise<boolean> =>
      (await scene.devices.counted()).starts >= startsBefore + ids.length;
    const handing = waitFor('all starts at their Devices', isHandedOver).then(since);
    const [answered, handedOver] = await Promise.all([answering, handing]);
    await waitFor('all on air', async () => (await countOfStatus(scene, 2)) >= before + ids.length);
    return { starts: ids.length, answered, handedOver, onAir: since() };
  });
}

async function takeOff(scene: Scene, ids: readonly number[]): Promise<void> {
  scene.orderedStops += ids.length;
  await order(scene, 'stop', ids);
  await waitFor('the rack is off air', async () => (await countOfStatus(scene, 0)) >= ids.length);
}

export interface Storm extends Span {
  events: number;
  /** Seconds until all were in the store. */
  absorbed: number;
}

export async function storm(scene: Scene): Promise<Storm> {
  const before = await storedEvents(scene);
  const reported = (await scene.devices.counted()).events;
  return spanOf(async () => {
    const from = performance.now();
    await scene.devices.storm(EVENTS_AT_ONCE);
    const events = (await scene.devices.counted()).events - reported;
    await waitFor('all events stored', async () => (await storedEvents(scene)) >= before + events);
    return { events, absorbed: (performance.now() - from) / 1000 };
  });
}

async function storedEvents({ servers }: Scene): Promise<number> {
  const text = "select count(*)::int as count from onair.events where kind = 'destination_retrying'";
  return Number((await servers.query(text))[0]!['count']);
}

export interface Silence extends Span {
  /** Seconds until the servers said that it is away, and from its return until all said that it is there. */
  noticed: number;
  back: number;
}

/** Nothing of a Device arrives any more, and then it is back. */
export async function silence(scene: Scene): Promise<Silence> {
  const { frail, devices, servers, random } = scene;
  const device = frail[Math.floor(random() * frail.length)]!;
  const id = devices.ids.get(device)!;
  return spanOf(async () => {
    devices.tellOne({ type: 'silence', device });
    const noticing = secondsOf(() =>
      waitFor('its silence is noticed', async () => !(await onlineAt(servers.urls[0]!)).has(id)),
    );
    const [noticed] = await Promise.all([noticing, pause(SILENCE_SECONDS)]);
    devices.tellOne({ type: 'mend', device });
    return { noticed, back: await secondsOf(() => allThere(scene, servers.members)) };
  });
}

export interface Death extends Span {
  /** Devices that the server had. */
  devices: number;
  /** Seconds until all of them were connected to others, and until those said that all obey servers that are there, and are online. */
  connected: number;
  back: number;
}

/** A server is killed, and started again some seconds later. */
export async function death(scene: Scene): Promise<Death> {
  const { servers, devices, random } = scene;
  const member = servers.members[Math.floor(random() * servers.members.length)]!;
  const had = devices.perServer.get(member.devicePort) ?? 0;
  return spanOf(async () => {
    const [at, others] = [Date.now(), othersThan(scene, member)];
    await member.service.kill('SIGKILL');
    const from = performance.now();
    const since = (): number => (performance.now() - from) / 1000;
    const restarted = pause(AWAY_SECONDS).then(() => member.service.restart());
    const isThere = (): boolean => areConnected(scene, [member.devicePort], at);
    const connecting = waitFor('all connected', isThere).then(since);
    const returning = waitFor('all back', () => allSaid(scene, others, isThere)).then(since);
    const [connected, back] = await Promise.all([connecting, returning, restarted]);
    await allThere(scene, servers.members);
    return { devices: had, connected, back };
  });
}

async function allSaid(scene: Scene, members: readonly Member[], isThere: () => boolean): Promise<boolean> {
  if (!isThere()) return false;
  for (const { service } of members)
    if (!(await areOwned(scene, service.url)) || !(await saysOnline(scene, service.url))) return false;
  return true;
}

async function allThere(scene: Scene, members: readonly Member[]): Promise<void> {
  await waitFor('all Devices are there', () => allSaid(scene, members, () => areConnected(scene)));
}

export interface Restart extends Span {
  /** Seconds that the database was away, and until every server took a write. */
  away: number;
  writable: number;
  /** Connections of Devices that were lost meanwhile. */
  lost: number;
}

export async function databaseRestart(scene: Scene, round: number): Promise<Restart> {
  const { servers, devices } = scene;
  return spanOf(async () => {
    const from = performance.now();
    const at = Date.now();
    await servers.database.restart();
    const away = (performance.now() - from) / 1000;
    await takeWrites(scene, `restart ${round}`);
    const writable = (performance.now() - from) / 1000;
    await allThere(scene, servers.members);
    return { away, writable, lost: [...devices.connections.values()].filter((each) => each.at > at).length };
  });
}

export interface ColdStart extends Span {
  /** Seconds until the first and the last server was ready, until all Devices were connected, and until every server said so. */
  ready: number;
  connected: number;
  online: number;
  /** Devices of each server, the most first: at that moment, and once that changes no more. */
  first: number[];
  spread: number[];
  /** Seconds until then. */
  spreadAfter: number;
}

const SPREAD_BOUND_MS = 90_000;

/** The power of all servers fails, and comes back. */
export async function coldStart(scene: Scene): Promise<ColdStart> {
  const { servers } = scene;
  return spanOf(async () => {
    const at = Date.now();
    await Promise.all(servers.members.map(({ service }) => service.kill('SIGKILL')));
    await pause(AWAY_SECONDS);
    const from = performance.now();
    const since = (): number => (performance.now() - from) / 1000;
    const isThere = (): boolean => areConnected(scene, servers.ports, at);
    const [ready, connected, online] = await Promise.all([
      Promise.all(servers.members.map(({ service }) => service.restart())).then(since),
      waitFor('all connected', isThere).then(since),
      waitFor('all online', () => allSaid(scene, servers.members, isThere)).then(since),
    ]);
    const first = sharesOf(scene);
    const share = first.reduce((sum, count) => sum + count, 0) / servers.members.length;
    const isEven = (): boolean => areConnected(scene) && sharesOf(scene)[0]! <= share * 1.1 + 2;
    // The figure says how far it came.
    await waitFor('the Devices are spread', isEven, SPREAD_BOUND_MS).catch(() => undefined);
    return { ready, connected, online, first, spread: sharesOf(scene), spreadAfter: since() };
  });
}

function sharesOf({ servers, devices }: Scene): number[] {
  return servers.ports.map((port) => devices.perServer.get(port) ?? 0).sort((a, b) => b - a);
}
