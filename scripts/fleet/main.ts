/**
 * `npm run fleet` puts up three servers on one PostgreSQL behind HAProxy, with two Devices and a broadcast on air, and says what to kill.
 * `-- --once` kills a server itself, looks whether everything goes on, and ends.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pause } from '../../domain/time/pause.ts';
import { goOnAir, mediaPlaylist, smallBroadcast } from '../../test/helpers/broadcast.ts';
import { callOnce, callUntilAnswered } from '../../test/helpers/fleet-calls.ts';
import { joinDevice, startMembers, type JoinedDevice, type Member } from '../../test/helpers/fleet.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { PostgresServer } from '../../test/helpers/postgres.ts';
import { startBalancer } from '../../test/helpers/servers/balancer.ts';
import { TOKEN } from '../../test/helpers/service.ts';

const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } });
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());

const tasks: (() => unknown)[] = [];
const owner = { after: (task: () => unknown): void => void tasks.push(task) };
try {
  say('Starting PostgreSQL, three servers and HAProxy in scratch folders …');
  const database = await PostgresServer.start(owner);
  const url = await database.database();
  const members = await startMembers(owner, url, 3);
  const balancer = await startBalancer(
    await freePort(),
    members.map(({ service }) => Number(new URL(service.url).port)),
  );
  tasks.push(() => balancer.stop());
  const address = `http://127.0.0.1:${balancer.port}`;
  say('Two Devices join …');
  const devices = [await joinDevice(owner, members, 'one'), await joinDevice(owner, members, 'two')];
  const { service } = members[0]!;
  const show = await smallBroadcast(service);
  const idEncoderGroup = await service.create('/devices/groups', { name: 'All', devices: devices.map(({ id }) => id) });
  await service.rest('PUT', `/livestreams/${show.livestreamId}`, { idEncoderGroup });
  await goOnAir(service, show.livestreamId);
  // Any server knows which Device has it.
  const playlist = `${address}/live/${show.livestreamId}/${show.publishingId}/index.m3u8`;
  say(`\n  Servers, behind one address: ${address}/   API token: ${TOKEN}`);
  for (const { service: each } of members) say(`    ${each.url}   kill -9 ${each.pid}`);
  say(`  Database: ${url}   kill -9 ${pidOfDatabase(database)} stops it; what is on air goes on`);
  for (const { id, dir } of devices) say(`  Device ${id}: its agent dies by kill -9 ${agentOf(dir)}`);
  say(`  On air:   ${playlist}`);
  say(`  Who is there: curl -s -H 'Authorization: Bearer ${TOKEN}' ${address}/svcapiv2/system/members\n`);
  if (values.once) await harmOnce(members, address, playlist, show.livestreamId);
  else await showState(address, playlist, show.livestreamId);
} catch (error) {
  if (!interrupted.signal.aborted) {
    process.exitCode = 1;
    process.stderr.write(`fleet: ${error instanceof Error ? error.message : String(error)}\n`);
  }
} finally {
  say('\nTaking everything down …');
  for (const task of tasks.reverse()) await task();
  say('Done.');
}

function agentOf(dir: JoinedDevice['dir']): number {
  return (JSON.parse(readFileSync(join(dir, 'device', 'agent.json'), 'utf8')) as { pid: number }).pid;
}

function pidOfDatabase({ data }: PostgresServer): string {
  return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0] ?? '';
}

/** One line a second: which servers are up, and what viewers have. */
async function showState(address: string, playlist: string, livestreamId: number): Promise<void> {
  say('  Ctrl-C takes it down. Servers that were killed stay away here; in earnest something starts them again.\n');
  while (!interrupted.signal.aborted) {
    process.stdout.write(`\r\u001B[K  ${await stateLine(address, playlist, livestreamId)}`);
    await pause(1000, interrupted.signal);
  }
}

async function stateLine(address: string, playlist: string, livestreamId: number): Promise<string> {
  const [members, status, media] = await Promise.all([
    callOnce(address, 'GET', { path: '/system/members' }).catch(() => undefined),
    callOnce(address, 'GET', { path: `/livestreams/${livestreamId}/status` }).catch(() => undefined),
    mediaPlaylist(playlist).catch(() => undefined),
  ]);
  const rows = (members?.body?.data?.members ?? []) as { state: string; rank: number | null; devices: number[] }[];
  const servers = rows.map(
    ({ state, devices }) => `${state}${devices.length > 0 ? ` (Devices ${devices.join(', ')})` : ''}`,
  );
  const segments = media === undefined ? 'no playlist' : `segment ${media.mediaSequence + media.segments.length}`;
  return `servers: ${servers.join(' · ') || 'no answer'}   status ${status?.body?.data?.status ?? '?'}   ${segments}`;
}

/** Kills the first server, which the Devices have dialled, and fails where anything stands still. */
async function harmOnce(
  members: readonly Member[],
  address: string,
  playlist: string,
  livestreamId: number,
): Promise<void> {
  const before = await mediaPlaylist(playlist);
  const { service } = members[0]!;
  say(`  kill -9 ${service.pid}`);
  await service.kill('SIGKILL');
  const body = { action: 'show', text: 'another server' };
  const path = `/livestreams/${livestreamId}/text`;
  const changed = await callUntilAnswered([address], { method: 'POST', path, body, key: 'fleet' });
  if (changed.status !== 200) throw new Error(`a change on air: ${changed.status} ${JSON.stringify(changed.body)}`);
  say(`  A change on air was in force ${(changed.tookMs / 1000).toFixed(1)} s later.`);
  const endAt = performance.now() + 20_000;
  for (;;) {
    const now = await mediaPlaylist(playlist);
    if (now.discontinuities > 0) throw new Error('the broadcast was interrupted');
    if (now.mediaSequence + now.segments.length >= before.mediaSequence + before.segments.length + 2) break;
    if (performance.now() > endAt) throw new Error('there are no new segments');
    await pause(200, interrupted.signal);
  }
  say('  The broadcast has gone on without a gap.');
  say(`  ${await stateLine(address, playlist, livestreamId)}`);
}
