/** Ways to start a broadcast, and a start that its source refuses. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSilent, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { LivestreamEvent } from '../../domain/shapes/installation/event.ts';
import { mediaPlaylist, statusOf } from '../helpers/broadcast.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { makeClip, BLANK, pidsOf, PROGRAM, TOKEN, type RestReply, type Service } from '../helpers/service.ts';
import { letPass } from '../helpers/pass.ts';
import { until } from '../helpers/until.ts';
import { follow, one, type One } from './one.ts';
import { TestClient } from '../helpers/mcp-client.ts';

const run = promisify(execFile);

async function askMcp(t: TestContext, { url }: Service, profile: string): Promise<any> {
  const client = new TestClient();
  cleanUp(t, () => client.close());
  const headers = { authorization: `Bearer ${TOKEN}`, 'x-onair-profile': profile };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  return client.callTool({ name: 'get_livestream_status', arguments: { livestream: 'Opening night' } });
}

describe('the start of a broadcast', () => {
  let shared: One;
  before(async () => {
    shared = await one();
    await shared.offAir();
  });

  const rest = (method: string, path: string, body?: unknown): Promise<RestReply> =>
    shared.service.rest(method, path, body);
  const eventsOf = async (livestreamId: number): Promise<LivestreamEvent[]> =>
    (await rest('GET', `/livestreams/${livestreamId}/events?pageSize=500&sort=id`)).body.rows as LivestreamEvent[];
  /** A Live stream like that of all, from another source. */
  async function streamFrom(name: string, url: string): Promise<number> {
    const channelId = await shared.service.create('/channels', { name, type: 'Stream', settings: { url } });
    const { encodingGroupId } = (await rest('GET', `/livestreams/${shared.show.livestreamId}`)).body.data;
    const { publishingId } = shared.show;
    return shared.service.create('/livestreams', { name, channelId, encodingGroupId, publishingId });
  }

  it('a Schedule starts a broadcast at its time, what is planned for the start is done once it is on air, its blackout is no fault of the source, and its end takes it off', async () => {
    const { service, show } = shared;
    const { livestreamId } = show;
    const before = (await eventsOf(livestreamId)).at(-1)?.id ?? 0;
    // What is planned below is there before it, on a busy machine too.
    const watch = (seconds: number): Promise<RestReply> =>
      rest('PUT', `/livestreams/${livestreamId}/options`, {
        alarms: { black_seconds: seconds, frozen_seconds: seconds },
      });
    assert.equal((await watch(1)).status, 200);
    const startMs = Date.now() + 6000;
    const at = (seconds: number): string => new Date(startMs + seconds * 1000).toISOString();
    const schedule = { name: 'Opening', livestreamId, start: at(0), end: at(3600) };
    const scheduleId = await service.create('/schedules', schedule);
    const planned: [string, object][] = [
      ['text', { action: 'show', text: 'Welcome' }],
      ['blackout', { mode: 'Black Frame' }],
      ['metadata', { type: 'DateRange', metadata: { id: 'opening', name: 'com.example.mark' } }],
    ];
    for (const [type, payload] of planned)
      await service.create(`/livestreams/${livestreamId}/actions`, { type, payload, execute_at: at(0.1) });
    const shown = async (): Promise<LivestreamEvent[]> =>
      (await eventsOf(livestreamId)).filter(({ id }) => id > before);
    const executed = (events: LivestreamEvent[]): LivestreamEvent[] =>
      events.filter(({ kind }) => kind === 'action_executed');
    const events = await until('all carried out', async () => {
      const now = await shown();
      return executed(now).length === planned.length && now;
    });
    const status = (await rest('GET', `/livestreams/${livestreamId}/status`)).body.data;
    const { text, blackout } = status.runtime;
    assert.deepEqual([status.scheduleId, text, blackout], [scheduleId, 'Welcome', 'Black Frame']);
    const requested = events.filter(({ kind }) => kind === 'start_requested');
    assert.equal(requested.length, 1);
    assert.ok(requested[0]!.at >= schedule.start, `${requested[0]!.at} is before ${schedule.start}`);
    const onAirId = events.find(({ kind }) => kind === 'started')!.id;
    assert.ok(executed(events).every(({ id }) => id > onAirId));
    await follow(show.playlist, 2);
    const { conditions } = (await rest('GET', `/livestreams/${livestreamId}/status`)).body.data;
    assert.deepEqual(conditions, [], 'a blackout of ours is no fault of the source');
    await until('the mark', async () => (await mediaPlaylist(await show.playlist())).text.includes('opening'));
    const moved = await rest('PUT', `/schedules/${scheduleId}`, { end: new Date(Date.now() + 3000).toISOString() });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    await until('off air', async () => (await statusOf(service, livestreamId)).status === 0);
    assert.ok(
      (await shown()).some(({ kind }) => kind === 'schedule_stopped'),
      JSON.stringify(await shown()),
    );
    assert.equal((await watch(5)).status, 200);
  });

  it('a dropped video is on air by one call, its pictures are served at the address of the answer, and that it is silent, black and still is said by every API', async (t) => {
    const { service } = shared;
    const form = new FormData();
    const video = makeClip(join(service.scratch, 'nothing.mp4'), 8, '320x180', BLANK);
    form.set('file', new Blob([readFileSync(video)]), 'Opening night.mp4');
    const headers = { authorization: `Bearer ${TOKEN}` };
    const reply = await fetch(`${service.url}/svcapiv2/setUp`, { method: 'POST', headers, body: form });
    const { data } = (await reply.json()) as RestReply['body'];
    assert.deepEqual([reply.status, data?.status, data?.name], [201, 2, 'Opening night']);
    assert.ok(data.steps.every(({ state }: { state: string }) => state === 'done'));
    const playlist = await until('a segment', async () => {
      const found = await mediaPlaylist(data.watch[0].url);
      return found.segments.length > 0 && found;
    });
    const segment = await fetch(new URL(playlist.segments[0]!, playlist.url));
    assert.deepEqual([segment.status, Buffer.from(await segment.arrayBuffer())[0]], [200, 0x47]);
    assert.equal((await fetch(data.watch_page)).status, 200);
    const path = `/livestreams/${data.made.livestreamId}`;
    const conditions = async (): Promise<{ kind: string; since: string }[]> =>
      (await rest('GET', `${path}/status`)).body.data.conditions;
    const faults = await until('all three', async () => {
      const now = await conditions();
      return now.length === 3 && now;
    });
    assert.deepEqual(faults.map(({ kind }) => kind).sort(), ['black', 'frozen', 'silence']);
    // Neither a blackout of ours nor a restart of the server ends what the source has, or begins it anew.
    const blackout = await rest('POST', `${path}/runtimeOptions/blackout`, { mode: 'File', filename: 'clip.mp4' });
    assert.equal(blackout.status, 200, JSON.stringify(blackout.body));
    await until(
      'the blackout',
      async () => (await rest('GET', `${path}/status`)).body.data.runtime.blackout === 'File',
    );
    await follow(() => data.watch[0].url, 1);
    await service.restart();
    await until('the report', async () => (await conditions()).length > 0);
    const { rows } = (await rest('GET', '/livestreams/status?fields=*')).body;
    const ofAll = rows.find(({ livestreamId }: { livestreamId: number }) => livestreamId === data.made.livestreamId);
    const env = { ...service.env, ONAIR_URL: service.url, ONAIR_TOKEN: TOKEN };
    const args = [PROGRAM, 'call', 'getLivestreamStatus', '--livestreamId', String(data.made.livestreamId)];
    const byCli = JSON.parse((await run(process.execPath, args, { env })).stdout).data;
    const byMcp = (await askMcp(t, service, 'full')).structuredContent;
    for (const row of [(await rest('GET', `${path}/status`)).body.data, ofAll, byCli, byMcp])
      assert.deepEqual([row.conditions, row.source_watched], [faults, true]);
    // They stand in the order in which they were noticed.
    const spoken = (await askMcp(t, service, 'voice')).content[0].text as string;
    for (const word of ['silent', 'black', 'frozen']) assert.ok(spoken.includes(`${word} for`), spoken);
    const stopped = await rest('POST', '/workflows/stop_livestream', { livestream: 'Opening night' });
    assert.equal(stopped.status, 200, JSON.stringify(stopped.body));
  });

  it('a start whose source refuses it ends with the second refusal and names it; the first is an event', async (t) => {
    let lookups = 0;
    const server = createServer((_request, response) => {
      lookups += 1;
      response.writeHead(404).end('no');
    });
    cleanUp(t, () => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const id = await streamFrom('Gone', `http://127.0.0.1:${(server.address() as AddressInfo).port}/live.ts`);
    const { status, body } = await rest('POST', '/workflows/start_livestream', { livestream: 'Gone' });
    assert.deepEqual([status, body.code], [502, 'upstream_failed'], JSON.stringify(body));
    const why = 'its server refuses the request (404 Not Found)';
    assert.ok(String(body.upstream).includes(`Channel "Gone" cannot be taken in: ${why}`), JSON.stringify(body));
    assert.deepEqual(
      (await eventsOf(id)).map(({ kind, message }) => (kind === 'source_lost' ? message : kind)),
      ['start_requested', `Channel "Gone" gives nothing yet: ${why}.`, 'start_failed'],
    );
    assert.equal(lookups, 2);
  });

  it('a start from a source that never speaks can be stopped, and leaves no process', async (t) => {
    const sockets = new Set<{ destroy(): unknown }>();
    const silent = createSilent((socket) => sockets.add(socket.on('error', () => socket.destroy())));
    cleanUp(t, () => silent.close());
    cleanUp(t, () => sockets.forEach((socket) => socket.destroy()));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const id = await streamFrom('Silent', `http://127.0.0.1:${(silent.address() as AddressInfo).port}/live.ts`);
    for (const waitMs of [0, 300]) {
      assert.equal((await rest('POST', `/livestreams/${id}/start`, {})).status, 202);
      await letPass(waitMs);
      assert.equal((await rest('POST', `/livestreams/${id}/stop`)).status, 200);
      await until('status 0', async () => (await statusOf(shared.service, id)).status === 0);
      await until('no process', () => pidsOf(shared.service.scratch, /onair\S* runner|ffmpeg/u).length === 0);
    }
  });
});
