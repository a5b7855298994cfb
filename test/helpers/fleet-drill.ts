/**
 * Three servers on one database behind a balancer, with a Device that dials them, are harmed at random while clients write, Schedules start
 * and one Live stream is on air: nothing that was acknowledged may be lost or done twice, and no picture may be missing.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, type Owner } from './clean-up.ts';
import { goOnAir, uploadFile } from './broadcast.ts';
import { DatabasePair } from './database-pair.ts';
import { receive, VIDEO } from './counted-broadcast.ts';
import { flowOf, makeCountedClip, numbersIn } from './counted.ts';
import { callUntilAnswered, Clients } from './fleet-calls.ts';
import { Harm, type Fault } from './fleet-faults.ts';
import { seededRandom } from './random.ts';
import { joinDevice, startMembers } from './fleet.ts';
import { openLine } from './line.ts';
import { freePort } from './ports.ts';
import { startBalancer } from './servers/balancer.ts';
import { identify } from '../../device/process.ts';
import { startS3 } from './servers/s3.ts';
import { pidsOf, type Service } from './service.ts';
import { until } from './until.ts';

export interface DrillFigures {
  faults: FaultFigures[];
  writes: { acknowledged: number; lost: number; doubled: number };
  starts: { planned: number; missed: number; doubled: number };
  onAir: { pictures: number; missing: number; repeated: number };
  /** Servers that have ended without being killed. */
  ended: number;
  /** Calls that a server has failed to answer, as its log has them. */
  failed: string[];
}

/** Milliseconds from the first try of a call to its answer. */
interface Spread {
  p50: number;
  p95: number;
  max: number;
}

interface FaultFigures {
  name: string;
  count: number;
  /** Calls that began within some seconds of it, by their kind. */
  callMs: Record<string, Spread>;
  /** Changes on air that were first tried at its moment. */
  changeMs: Spread;
}

const NEAR_MS = 3_000;
/** A change waits for the encoder as well. */
const CHANGE_MS = 2_000;
const PICTURES = 1800;
/** As many read the status. */
const WRITES_PER_SECOND = 10;
/** They are on air one after the other: two cores have room for no more beside the one that is on air all the time. */
const STARTS_A_MINUTE = 3;
const OCCURRENCE_MS = 8_000;

export interface DrillLength {
  /** Within which Schedules start. */
  seconds: number;
  /** It goes on until there have been so many. */
  faults: number;
  /** Seconds between the end of a fault and the next one. */
  pause?: number;
}

export async function fleetDrill(
  owner: Owner,
  { seconds, faults, pause = 4 }: DrillLength,
  seed: number,
): Promise<DrillFigures> {
  const database = await DatabasePair.start(owner);
  const ways = await database.database(3);
  const urls = ways.map(({ url }) => url);
  const members = await startMembers(owner, urls, 3, await mediaBucket(owner));
  const ports = members.map(({ service }) => Number(new URL(service.url).port));
  const balancer = await startBalancer(await freePort(), ports);
  cleanUp(owner, () => balancer.stop());
  const url = `http://127.0.0.1:${balancer.port}`;
  const deviceLines = await Promise.all(members.map(({ devicePort }) => openLine(devicePort)));
  for (const line of deviceLines) cleanUp(owner, () => line.close());
  const devicePorts = deviceLines.map(({ port }) => port);
  const device = await joinDevice(owner, members, 'van', devicePorts);
  const scene = await scenery(owner, members[0]!.service, device.id, seconds);
  await goOnAir(members[0]!.service, scene.onAirId);
  const before = pidsOf(device.dir, /onair\S* runner/u);
  const servers = members.map(({ service }) => service.url);
  const clients = new Clients(url, servers, scene.onAirId, WRITES_PER_SECOND);
  cleanUp(owner, () => clients.end());
  const harmed = members.map(({ service }, at) => ({
    service,
    toDatabase: ways[at]!.line,
    toDevices: deviceLines[at]!,
  }));
  const harm = new Harm(harmed, database, seededRandom(seed));
  const end = performance.now() + seconds * 1000;
  for (let number = 0; performance.now() < end || harm.faults.length < faults; number += 1) {
    await sleep(pause * 1000);
    const ended = harm.next();
    // Each is another text, so that what is in force tells whether it was made.
    const body = { action: 'show', text: `change ${number}` };
    const path = `/livestreams/${scene.onAirId}/text`;
    const call = { method: 'POST', path, body, key: `change ${number}`, timeoutMs: CHANGE_MS };
    const { tookMs, ...answer } = await callUntilAnswered([url], call);
    if (answer.status !== 200) throw new Error(`a change on air: ${JSON.stringify(answer)}`);
    harm.faults.at(-1)!.changeMs = tookMs;
    await ended;
  }
  await clients.end();
  await sleep(OCCURRENCE_MS);
  const after = pidsOf(device.dir, /onair\S* runner/u);
  if (before.some((pid) => !after.includes(pid))) throw new Error('the encoder on air was replaced');
  const service = members[0]!.service;
  await until('the first server answers', async () => (await service.rest('GET', '/users')).status === 200);
  scene.receiver.kill('SIGKILL');
  return {
    faults: figuresOf(harm.faults, clients),
    writes: await writesOf(service, scene.onAirId, clients),
    starts: await startsOf(service, scene.scheduled),
    onAir: flowOf(numbersIn(scene.file), PICTURES),
    ended: members.filter(({ service: { pid } }) => identify(pid) === undefined).length,
    failed: members.flatMap(({ service: member }) =>
      member
        .output()
        .split('\n')
        .filter((line) => /"msg":"(?:REST )?call failed/u.test(line)),
    ),
  };
}

/** Any server may order what another one has taken in. */
async function mediaBucket(owner: Owner): Promise<NodeJS.ProcessEnv> {
  const [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY] = ['drill-access-key', 'drill-secret-key'];
  const s3 = await startS3(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY);
  cleanUp(owner, () => s3.stop());
  const ONAIR_MEDIA = `s3://clips?endpoint=${encodeURIComponent(`http://127.0.0.1:${s3.port}`)}`;
  return { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ONAIR_MEDIA };
}

interface Scenery {
  onAirId: number;
  /** The Live streams that Schedules start once each. */
  scheduled: number[];
  receiver: ChildProcess;
  file: string;
}

async function scenery(owner: Owner, service: Service, deviceId: number, seconds: number): Promise<Scenery> {
  const filename = await uploadFile(service, makeCountedClip(join(service.scratch, 'counted.mp4'), PICTURES));
  const channelId = await service.create('/channels', { name: 'Counted', type: 'File', settings: { filename } });
  const encodingId = await service.create('/encodings', {
    name: 'one',
    settings_video: { ...VIDEO, height: 180, bitrate: 400 },
  });
  const idEncoderGroup = await service.create('/devices/groups', { name: 'Pool', devices: [deviceId] });
  const port = await freePort();
  const file = join(service.scratch, 'received.ts');
  const receiver = receive(`udp://127.0.0.1:${port}?fifo_size=50000`, file);
  cleanUp(owner, () => void receiver.kill('SIGKILL'));
  const streamId = await service.create('/publishings', {
    name: 'to UDP',
    type: 'STREAM',
    settings: { url: `udp://127.0.0.1:${port}` },
  });
  const webId = await service.create('/publishings', { name: 'web', type: 'HLS / TS', settings: {} });
  const bound = { channelId, encodingId, idEncoderGroup };
  const onAirId = await service.create('/livestreams', { name: 'On air', ...bound, publishingId: streamId });
  const scheduled: number[] = [];
  const count = Math.max(3, Math.floor((seconds / 60) * STARTS_A_MINUTE));
  for (let number = 0; number < count; number += 1) {
    const livestreamId = await service.create('/livestreams', { name: `S${number}`, ...bound, publishingId: webId });
    const startMs = Date.now() + 10_000 + ((seconds * 1000 - 15_000) * number) / count;
    const [start, end] = [startMs, startMs + OCCURRENCE_MS].map((ms) => new Date(ms).toISOString());
    await service.create('/schedules', { name: `S${number}`, livestreamId, start, end });
    scheduled.push(livestreamId);
  }
  return { onAirId, scheduled, receiver, file };
}

/** Compares what was acknowledged with what is stored. */
async function writesOf(service: Service, livestreamId: number, { records }: Clients): Promise<DrillFigures['writes']> {
  const counts = new Map<string, number>();
  for (let page = 1; ; page += 1) {
    const { body } = await service.rest(
      'GET',
      `/livestreams/${livestreamId}/actions?pageSize=500&page=${page}&fields=*`,
    );
    const rows = body.rows as { payload: { text?: string } }[];
    for (const { payload } of rows)
      if (payload.text !== undefined) counts.set(payload.text, (counts.get(payload.text) ?? 0) + 1);
    if (rows.length < 500) break;
  }
  const acknowledged = records.filter(({ kind, isDone }) => kind === 'write' && isDone);
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ mark }) => !counts.has(mark)).length,
    doubled: [...counts.values()].filter((count) => count > 1).length,
  };
}

async function startsOf(service: Service, livestreamIds: readonly number[]): Promise<DrillFigures['starts']> {
  const starts = { planned: livestreamIds.length, missed: 0, doubled: 0 };
  for (const id of livestreamIds) {
    const { body } = await service.rest('GET', `/livestreams/${id}/events?kind=started&pageSize=100`);
    const count = (body.rows as unknown[]).length;
    if (count === 0) starts.missed += 1;
    if (count > 1) starts.doubled += 1;
  }
  return starts;
}

function figuresOf(faults: readonly Fault[], { records }: Clients): FaultFigures[] {
  return [...new Set(faults.map(({ name }) => name))].sort().map((name) => {
    const own = faults.filter((fault) => fault.name === name);
    const near = records.filter(({ beganAt }) => own.some(({ at }) => beganAt > at - 100 && beganAt < at + NEAR_MS));
    const callMs = new Map<string, number[]>();
    for (const { kind, route, tookMs } of near) {
      const key = `${kind} ${route}`;
      callMs.set(key, [...(callMs.get(key) ?? []), tookMs]);
    }
    return {
      name,
      count: own.length,
      callMs: Object.fromEntries([...callMs].sort().map(([kind, values]) => [kind, spreadOf(values)])),
      changeMs: spreadOf(own.map(({ changeMs }) => changeMs)),
    };
  });
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

/** Throws AssertionError where a write, a start or a picture is lost, or is there twice. */
export function assertUnharmed({ writes, starts, onAir, ended, failed }: DrillFigures): void {
  assert.deepEqual([writes.lost, writes.doubled], [0, 0]);
  assert.deepEqual([starts.missed, starts.doubled], [0, 0]);
  assert.deepEqual([onAir.missing, onAir.repeated], [0, 0]);
  assert.deepEqual([ended, failed], [0, []]);
}

export function drillTable({ faults, writes, starts, onAir, ended, failed }: DrillFigures): string[] {
  const spread = ({ p50, p95, max }: Spread): string => `p50 ${p50}, p95 ${p95}, longest ${max} ms`;
  return [
    ...faults.flatMap(({ name, count, callMs, changeMs }) => [
      `${count} × ${name}: changes on air ${spread(changeMs)}`,
      ...Object.entries(callMs).map(([kind, ms]) => `  ${kind}: ${spread(ms)}`),
    ]),
    `writes: ${writes.acknowledged} acknowledged, ${writes.lost} lost, ${writes.doubled} done twice`,
    `starts: ${starts.planned} planned, ${starts.missed} missed, ${starts.doubled} done twice`,
    `on air: ${onAir.pictures} pictures, ${onAir.missing} missing, ${onAir.repeated} repeated`,
    `servers: ${ended} ended by themselves, ${failed.length} calls failed`,
    ...failed,
  ];
}
