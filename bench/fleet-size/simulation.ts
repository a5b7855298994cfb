/** A large fleet of simulated Devices at real servers, from the first row to the last count. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, type Owner } from '../../test/helpers/clean-up.ts';
import { seededRandom } from '../../test/helpers/random.ts';
import { Background } from './background.ts';
import { checked, type Checked } from './checks.ts';
import { Devices } from './devices.ts';
import * as faults from './faults.ts';
import type { Lateness } from './lateness.ts';
import { FleetRows, type Rack } from './rows.ts';
import { areConnected, countOfStatus, order, saysOnline, secondsOf, waitFor, withStatus, type Scene } from './scene.ts';
import { Servers } from './servers.ts';
import { Usage, type Span } from './usage.ts';

export interface Size {
  devices: number;
  livestreams: number;
  members: number;
  minutes: number;
  seed: number;
  devicesPerProcess: number;
  callsPerSecond: number;
  /** Each server leaves its log and profiles of its processor time there. */
  profileDir?: string | undefined;
}

/** Faults by their kinds, in their order. */
export interface Harm {
  bursts: faults.Burst[];
  storms: faults.Storm[];
  silences: faults.Silence[];
  deaths: faults.Death[];
  restarts: faults.Restart[];
  /** Undefined when it was not over within its bound, as a fault that has none of its kind here. */
  coldStart: faults.ColdStart | undefined;
}

export interface Measured extends Harm {
  size: Size;
  scene: Scene;
  /** Without Devices; with all of them and no fault; and from that to the cold start. */
  bare: Span;
  calm: Span & { reports: number; lateness: Lateness };
  whole: Span & { lateness: Lateness };
  /** Seconds until all Devices had joined, and until the Live streams of all racks but one were on air. */
  joined: number;
  filled: number;
  checked: Checked;
}

const RACKS = 10;
const EVENT_EVERY_MS = 60_000;
const ROUND_MINUTES = 3;
const SETTLE_MS = 5_000;
const MAX_CALM_SECONDS = 60;

export async function simulate(owner: Owner, size: Size, say: (text: string) => void): Promise<Measured> {
  const { scene, bare, joined, filled } = await openScene(owner, size, say);
  const { servers, devices, background, usage } = scene;
  devices.tell({ type: 'events', everyMs: EVENT_EVERY_MS });
  await sleep(SETTLE_MS);
  say('no fault');
  await servers.lateness();
  const whole = Date.now();
  const calm = await calmTime(scene, Math.min(MAX_CALM_SECONDS, size.minutes * 12));
  const harm = await harmAll(scene, size);
  const late = await servers.lateness();
  const to = Date.now();
  say('all servers lose their power');
  const coldStart = await unlessEndless(scene, 'the cold start', () => faults.coldStart(scene));
  devices.tell({ type: 'events', everyMs: 0 });
  await background.end();
  say('what was lost or done twice is counted');
  const found = await checked(scene);
  usage.end();
  const spans = { bare, calm, whole: { from: whole, to, lateness: late } };
  return { size, scene, ...spans, joined, filled, ...harm, coldStart, checked: found };
}

interface Opened {
  scene: Scene;
  bare: Span;
  joined: number;
  filled: number;
}

async function openScene(owner: Owner, size: Size, say: (text: string) => void): Promise<Opened> {
  const random = seededRandom(size.seed);
  say(`${size.members} servers on one PostgreSQL start`);
  const servers = await Servers.start(owner, size.members, size.profileDir);
  say('the rows are made');
  const rows = new FleetRows(servers.urls[0]!);
  const racks: Rack[] = [];
  for (let number = 0; number < Math.min(RACKS, size.devices); number += 1)
    racks.push(await rows.rack(number, size.devices));
  const ids = await rows.livestreams(size.livestreams, racks);
  const background = new Background(servers.urls, ids, size.callsPerSecond, random);
  cleanUp(owner, () => background.end());
  const usage = new Usage(servers);
  cleanUp(owner, () => usage.end());
  await sleep(SETTLE_MS);
  const from = Date.now();
  await sleep(Math.min(15, Math.max(4, size.minutes * 5)) * 1000);
  const bare = { from, to: Date.now() };
  say(`${size.devices} Devices join`);
  const frail = Array.from({ length: Math.min(5, size.devices) }, (_, at) => at);
  const { ports } = servers;
  const tokens = racks.map(({ token }) => token);
  const wanted = { count: size.devices, perProcess: size.devicesPerProcess, seed: size.seed, frail, ports, tokens };
  const beganAt = performance.now();
  const devices = await Devices.open(owner, wanted);
  usage.devicePids = devices.pids;
  const rackIds = racks.map((_, rack) => ids.filter((__, number) => number % racks.length === rack));
  const scene: Scene = {
    servers,
    devices,
    background,
    usage,
    racks: rackIds,
    frail,
    orderedStops: 0,
    startsBefore: 0,
    unfinished: [],
    random,
    say,
  };
  await waitFor(
    'all Devices are online',
    async () => areConnected(scene) && (await saysOnline(scene, servers.urls[0]!)),
  );
  const joined = (performance.now() - beganAt) / 1000;
  const first = rackIds.slice(1).flat();
  say(`${first.length} Live streams start`);
  const filled = await secondsOf(() => fill(scene, first));
  scene.startsBefore = (await scene.devices.counted()).starts;
  return { scene, bare, joined, filled };
}

/** A start fails where its Device does not come back in time, as on a machine that has no time for it: a person starts it again. */
async function fill(scene: Scene, ids: readonly number[]): Promise<void> {
  let failed = 0;
  for (let waiting = ids; waiting.length > 0; waiting = await withStatus(scene, 3)) {
    if (waiting !== ids) failed += waiting.length;
    await order(scene, 'start', waiting);
    await waitFor('no start is under way', async () => (await countOfStatus(scene, 1)) === 0);
  }
  if (failed > 0) scene.say(`${failed} starts have failed and were made again`);
}

async function calmTime(scene: Scene, seconds: number): Promise<Measured['calm']> {
  const [from, before] = [Date.now(), (await scene.devices.counted()).reports];
  await sleep(seconds * 1000);
  const to = Date.now();
  const reports = (await scene.devices.counted()).reports - before;
  return { from, to, reports, lateness: await scene.servers.lateness() };
}

/** In each round of three minutes everything happens once, and a Device falls silent three times; a shorter run has one round. */
async function harmAll(scene: Scene, { minutes }: Size): Promise<Omit<Harm, 'coldStart'>> {
  const harm: Omit<Harm, 'coldStart'> = { bursts: [], storms: [], silences: [], deaths: [], restarts: [] };
  const kinds = {
    'all Live streams of a rack start': async (round: number) => harm.bursts.push(await faults.burst(scene, round)),
    'every Device reports events': async () => harm.storms.push(await faults.storm(scene)),
    'a Device falls silent': async () => harm.silences.push(await faults.silence(scene)),
    'a server is killed': async () => harm.deaths.push(await faults.death(scene)),
    'the database starts again': async (round: number) =>
      harm.restarts.push(await faults.databaseRestart(scene, round)),
  };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  const rounds = Math.max(1, Math.round(minutes / ROUND_MINUTES));
  const silences = Math.max(1, Math.min(ROUND_MINUTES, Math.round(minutes)));
  const inRound = [...names, ...Array<(typeof names)[number]>(silences - 1).fill('a Device falls silent')];
  const slotMs = (minutes * 60_000) / rounds / inRound.length / 2;
  for (let round = 0; round < rounds; round += 1)
    for (const name of shuffled(inRound, scene.random)) {
      await sleep(slotMs * (0.5 + scene.random()));
      scene.say(name);
      await unlessEndless(scene, name, () => kinds[name](round));
    }
  return harm;
}

/** A fault that is not over within its bound is noted, and the run goes on. */
async function unlessEndless<T>(scene: Scene, name: string, task: () => Promise<T>): Promise<T | undefined> {
  try {
    return await task();
  } catch (error) {
    const { message } = error as Error;
    scene.say(`${name}: ${message}`);
    scene.unfinished.push(`${name}: ${message}`);
    return undefined;
  }
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
