/**
 * Three servers on one database behind a balancer, with two Devices that dial them, are harmed at random while clients write, Schedules start
 * and Live streams are on air: nothing that was acknowledged may be lost or done twice, no picture may be missing, and no server may end.
 */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, type Owner } from './clean-up.ts';
import { droppedIn, goOnAir, lastEvents, statusOf, uploadFile } from './broadcast.ts';
import { runners } from './copies.ts';
import { DatabasePair } from './database-pair.ts';
import { receive, VIDEO } from './counted-broadcast.ts';
import { flowOf, makeCountedClip, numbersIn } from './counted.ts';
import { callUntilAnswered, Clients } from './fleet-calls.ts';
import { Harm } from './fleet-faults.ts';
import { figuresOf, type DrillFigures } from './fleet-figures.ts';
import { Roaming } from './fleet-roaming.ts';
import { seededRandom } from './random.ts';
import { joinDevice, mediaBucket, startMembers, type JoinedDevice, type Member } from './fleet.ts';
import { openLine } from './line.ts';
import { freePort } from './ports.ts';
import { startBalancer } from './servers/balancer.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

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
  /** It goes on until there have been so many, or until so many seconds are over. */
  faults: number;
  most?: number;
  /** Seconds between the end of a fault and the next one. */
  pause?: number;
  onFault?: (number: number, name: string) => void;
  /** bin/onair.js of the version with which all begin, and which is renewed; left out: this one. */
  program?: string | undefined;
}

export async function fleetDrill(owner: Owner, length: DrillLength, seed: number): Promise<DrillFigures> {
  const { seconds, faults, most = Infinity } = length;
  const { members, harm, scene, url } = await openDrill(owner, length, seed);
  const servers = members.map(({ service }) => service.url);
  const clients = new Clients(url, servers, scene.onAirId, WRITES_PER_SECOND);
  cleanUp(owner, () => clients.end());
  const beganAt = performance.now();
  const isOver = (): boolean => {
    const passed = (performance.now() - beganAt) / 1000;
    return passed >= most || (passed >= seconds && harm.faults.length >= faults);
  };
  while (!isOver()) await harmOnce(harm, url, scene.onAirId, length);
  await clients.end();
  await sleep(OCCURRENCE_MS);
  if (scene.runner() !== scene.before) throw new Error('the encoder on air was replaced');
  const service = members[0]!.service;
  await until('the first server answers', async () => (await service.rest('GET', '/users')).status === 200);
  await until('what died is on air again', async () => (await statusOf(service, scene.mortalId)).status === 2);
  scene.receiver.kill('SIGKILL');
  return {
    faults: figuresOf(harm.faults, clients.records),
    writes: await writesOf(service, scene.onAirId, clients),
    starts: await startsOf(service, scene.scheduled),
    onAir: { ...flowOf(numbersIn(scene.file), PICTURES), leftOut: await droppedIn(service, scene.onAirId) },
    roaming: await scene.roaming.figures(service),
    ended: harm.ended,
    failed: members.flatMap(({ service: member }) =>
      member
        .output()
        .split('\n')
        .filter((line) => /"msg":"(?:REST )?call failed/u.test(line)),
    ),
  };
}

/** A fault, and a change on air at its moment. */
async function harmOnce(harm: Harm, url: string, livestreamId: number, length: DrillLength): Promise<void> {
  const { pause = 4, onFault } = length;
  await sleep(pause * 1000);
  const ended = harm.next();
  // It may fail before it is waited for.
  ended.catch(() => undefined);
  const { faults } = harm;
  const fault = faults.at(-1)!;
  onFault?.(faults.length, fault.name);
  // Each is another text, so that what is in force tells whether it was made.
  const text = `change ${faults.length}`;
  const body = { action: 'show', text };
  const path = `/livestreams/${livestreamId}/text`;
  const call = { method: 'POST', path, body, key: text, timeoutMs: CHANGE_MS };
  const { tookMs, ...answer } = await callUntilAnswered([url], call);
  if (answer.status !== 200) throw new Error(`a change on air: ${JSON.stringify(answer)}`);
  fault.changeMs = tookMs;
  await ended;
  const [lastOutput] = harm.lastOutput;
  if (lastOutput !== undefined) throw new Error(`a server has ended by itself: ${lastOutput}`);
}

interface Drill {
  members: readonly Member[];
  harm: Harm;
  scene: Scenery;
  /** The balancer's. */
  url: string;
}

async function openDrill(owner: Owner, { seconds, program }: DrillLength, seed: number): Promise<Drill> {
  const database = await DatabasePair.start(owner);
  const ways = await database.database(3);
  const members = await startMembers(
    owner,
    ways.map(({ url }) => url),
    3,
    await mediaBucket(owner),
    program,
  );
  const ports = members.map(({ service }) => Number(new URL(service.url).port));
  const balancer = await startBalancer(await freePort(), ports);
  cleanUp(owner, () => balancer.stop());
  const deviceLines = await Promise.all(members.map(({ devicePort }) => openLine(devicePort)));
  for (const line of deviceLines) cleanUp(owner, () => line.close());
  const devicePorts = deviceLines.map(({ port }) => port);
  const device = await joinDevice(owner, members, 'van', devicePorts, program);
  const mortal = await joinDevice(owner, members, 'truck', devicePorts, program);
  const service = members[0]!.service;
  const url = `http://127.0.0.1:${balancer.port}`;
  const scene = await scenery(owner, service, { device, mortal, url }, seconds);
  const harmed = members.map((member, at) => ({
    service: member.service,
    toDatabase: ways[at]!.line,
    toDevices: deviceLines[at]!,
  }));
  const harm = new Harm({ members: harmed, database, device, mortal, roaming: scene.roaming }, seededRandom(seed));
  return { members, harm, scene, url };
}

interface Scenery {
  onAirId: number;
  /** The one on the Device that may die. */
  mortalId: number;
  /** The runner of the one on air, now and at the beginning. */
  runner: () => number | undefined;
  before: number | undefined;
  /** The Live streams that Schedules start once each. */
  scheduled: number[];
  receiver: ChildProcess;
  file: string;
  roaming: Roaming;
}

interface Places {
  device: JoinedDevice;
  mortal: JoinedDevice;
  /** The balancer's. */
  url: string;
}

async function scenery(owner: Owner, service: Service, devices: Places, seconds: number): Promise<Scenery> {
  const filename = await uploadFile(service, makeCountedClip(join(service.scratch, 'counted.mp4'), PICTURES));
  const channelId = await service.create('/channels', { name: 'Counted', type: 'File', settings: { filename } });
  const encodingId = await service.create('/encodings', {
    name: 'one',
    settings_video: { ...VIDEO, height: 180, bitrate: 400 },
  });
  const idEncoderGroup = await service.create('/devices/groups', { name: 'Pool', devices: [devices.device.id] });
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
  const scheduleFrom = async (number: number): Promise<void> => {
    const livestreamId = scheduled[number]!;
    const startMs = Date.now() + 10_000 + ((seconds * 1000 - 15_000) * number) / count;
    const [start, end] = [startMs, startMs + OCCURRENCE_MS].map((ms) => new Date(ms).toISOString());
    await service.create('/schedules', { name: `S${number}`, livestreamId, start, end });
  };
  for (let number = 0; number < count; number += 1)
    scheduled.push(await service.create('/livestreams', { name: `S${number}`, ...bound, publishingId: webId }));
  const copied = { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };
  const copyId = await service.create('/encodings', { name: 'copy', ...copied });
  const onMortal = { channelId, encodingId: copyId, deviceId: devices.mortal.id, publishingId: webId };
  const mortalId = await service.create('/livestreams', { name: 'Mortal', ...onMortal });
  for (const id of [onAirId, mortalId]) await goOnAir(service, id);
  const both = [devices.device.id, devices.mortal.id];
  const either = await service.create('/devices/groups', { name: 'Either', devices: both });
  const roams = { channelId, encodingId: copyId, idEncoderGroup: either };
  const roaming = await Roaming.onAir(owner, service, roams, devices.url);
  const runner = (): number | undefined => runners({ dataDir: devices.device.dir }).get(onAirId)?.pid;
  const before = runner();
  for (const number of scheduled.keys()) await scheduleFrom(number);
  return { onAirId, mortalId, runner, before, scheduled, receiver, file, roaming };
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
  const starts: DrillFigures['starts'] = { planned: livestreamIds.length, missed: 0, doubled: 0, reasons: [] };
  for (const id of livestreamIds) {
    const { body } = await service.rest('GET', `/livestreams/${id}/events?kind=started&pageSize=100`);
    const count = (body.rows as unknown[]).length;
    if (count === 0) starts.missed += 1;
    if (count > 1) starts.doubled += 1;
    if (count !== 1) starts.reasons.push(...(await lastEvents(service, id)));
  }
  return starts;
}
