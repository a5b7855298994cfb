/** From nothing to on air by every door, with real ffmpeg, a real MCP client and HTTP. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { processesOf, PROGRAM, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { one } from './one.ts';
import { wordsOf } from '../helpers/words.ts';
import { TestClient } from '../helpers/mcp-client.ts';

const run = promisify(execFile);

interface Answer {
  isError?: boolean;
  structuredContent?: any;
}

describe('a broadcast over every API', () => {
  let service: Service;
  let show: SmallBroadcast;
  const clients: Record<string, Client> = {};

  before(async () => {
    const shared = await one();
    ({ service, show } = shared);
    await shared.offAir();
    const stdio = new TestClient('test-stdio');
    const env = { ...(service.env as Record<string, string>), ONAIR_URL: service.url, ONAIR_TOKEN: TOKEN };
    await stdio.connect(
      new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], env, stderr: 'ignore' }),
    );
    const http = new TestClient('test-http');
    await http.connect(
      new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
      }),
    );
    Object.assign(clients, { stdio, http });
  });

  after(async () => {
    for (const client of Object.values(clients)) await client.close();
  });

  const call = async (api: string, name: string, args: object): Promise<Answer> => {
    const client = clients[api];
    assert.ok(client);
    return (await client.callTool({ name, arguments: args as Record<string, unknown> }, undefined, {
      timeout: 60_000,
    })) as Answer;
  };

  it('MCP shows the same tools over stdio and HTTP, within the budget', async () => {
    const [stdio, http] = await Promise.all(
      [clients['stdio'], clients['http']].map(async (client) => client?.listTools()),
    );
    assert.deepEqual(stdio?.tools, http?.tools);
    const tokens = JSON.stringify(http?.tools).length / 4;
    assert.ok(tokens <= 4000, `tools/list is about ${tokens} tokens`);
    const names = http?.tools.map((tool) => tool.name) ?? [];
    for (const name of ['search_tools', 'call_tool', 'start_livestream', 'stop_livestream', 'get_livestream_status'])
      assert.ok(names.includes(name), name);
  });

  it('every API sees the same Live stream: MCP over stdio, MCP over HTTP, REST and the CLI', async () => {
    const { body } = await service.rest('GET', `/livestreams/${show.livestreamId}`);
    const env = { ...service.env, ONAIR_URL: service.url, ONAIR_TOKEN: TOKEN };
    const cli = await run(
      process.execPath,
      [PROGRAM, 'call', 'getLivestreamById', '--livestreamId', String(show.livestreamId)],
      { env },
    );
    assert.deepEqual(JSON.parse(cli.stdout), body);
    for (const api of ['stdio', 'http']) {
      const direct = await call(api, 'getLivestreamById', { livestreamId: show.livestreamId });
      assert.deepEqual(direct.structuredContent, body, api);
      const called = await call(api, 'call_tool', {
        operationId: 'getLivestreamById',
        arguments: { livestreamId: show.livestreamId },
      });
      assert.deepEqual(called.structuredContent, body, api);
    }
  });

  it('the audit tells which API a change came by', async () => {
    const env = { ...service.env, ONAIR_URL: service.url, ONAIR_TOKEN: TOKEN };
    const audit = async (): Promise<{ id: number; operation: string; via: string }[]> =>
      (await service.rest('GET', '/system/audit?pageSize=100&fields=id,operation,via')).body.rows.reverse();
    const last = (await audit()).at(-1)?.id ?? 0;
    const change = { channelId: show.channelId, description: 'by a door' };
    await service.rest('PUT', `/channels/${show.channelId}`, { description: 'by a door' });
    await call('http', 'updateChannel', change);
    await run(process.execPath, [PROGRAM, 'call', 'updateChannel', JSON.stringify(change)], { env });
    await run(process.execPath, [PROGRAM, 'call', 'stop_livestream', '--livestream', 'Show'], { env });
    const changes = (await audit()).filter(
      ({ id, operation }) => id > last && /^(?:updateChannel|stop_)/u.test(operation),
    );
    assert.deepEqual(
      changes.map(({ via }) => via),
      ['rest', 'mcp', 'cli', 'cli'],
    );
  });

  it('every API refuses the same', async () => {
    const refusals: [string, object, string, string, string][] = [
      ['getLivestreamById', { livestreamId: 999 }, 'GET', '/livestreams/999', 'not_found'],
      ['addChannel', { name: 'x', type: 'Stream', settings: {} }, 'POST', '/channels', 'invalid_input'],
      [
        'addChannel',
        { name: 'Clip', type: 'Stream', settings: { url: 'https://example.test/a.m3u8' } },
        'POST',
        '/channels',
        'conflict',
      ],
      ['deleteChannel', { channelId: show.channelId }, 'DELETE', `/channels/${show.channelId}`, 'in_use'],
    ];
    for (const [operationId, args, method, path, code] of refusals) {
      const rest = await service.rest(method, path, method === 'POST' ? args : undefined);
      assert.equal(rest.body.code, code, operationId);
      for (const api of ['stdio', 'http']) {
        const answer = await call(api, 'call_tool', { operationId, arguments: args });
        assert.equal(answer.isError, true, `${operationId} over ${api}`);
        const { request_id: _mine, ...problem } = answer.structuredContent;
        const { request_id: _theirs, ...expected } = rest.body;
        assert.deepEqual(problem, expected, `${operationId} over ${api}`);
      }
    }
  });

  it('a Live stream starts once when it is started twice at once, and is on air', async () => {
    const starts = await Promise.all(
      [1, 2].map(() => service.rest('POST', `/livestreams/${show.livestreamId}/start`, {})),
    );
    assert.deepEqual(starts.map((reply) => reply.status).sort(), [200, 202]);
    const answer = await call('stdio', 'start_livestream', { livestream: 'Show', wait_seconds: 30 });
    assert.equal(answer.isError ?? false, false, JSON.stringify(answer.structuredContent));
    assert.equal(answer.structuredContent.on_air, true);
    const encoders = processesOf(service.scratch).filter(({ command }) => /onair\S* runner/u.test(command));
    assert.equal(encoders.length, 1, JSON.stringify(encoders));
  });

  it('a Live stream plays: every rendition decodes with sound, from the Device and from the control plane', async () => {
    const answer = await call('http', 'start_livestream', { livestream: show.livestreamId });
    const fromDevice = answer.structuredContent.watch[0].url as string;
    for (const url of [fromDevice, await show.playlist()]) {
      const probe = [
        ...wordsOf('-v error -count_frames -read_intervals %+3 -show_entries'),
        ...wordsOf('stream=codec_type,codec_name,height,nb_read_frames -of json'),
        url,
      ];
      const { stdout, stderr } = await run('ffprobe', probe, { timeout: 60_000 });
      assert.equal(stderr, '');
      const { streams } = JSON.parse(stdout) as {
        streams: { codec_name: string; codec_type: string; height?: number; nb_read_frames: string }[];
      };
      const heights = streams.filter((stream) => stream.codec_type === 'video').map((stream) => stream.height);
      assert.deepEqual(heights.sort(), [180, 90], stdout);
      assert.ok(streams.filter((stream) => stream.codec_type === 'audio').length >= 1, stdout);
      const media = streams.filter((stream) => stream.codec_type !== 'data');
      for (const stream of media) assert.ok(Number(stream.nb_read_frames) > 30, stdout);
      // Announced before the first cue comes: a program map that changes on air makes decoders start anew.
      const announced = streams.filter((stream) => !media.includes(stream)).map((stream) => stream.codec_name);
      assert.deepEqual([...new Set(announced)].sort(), ['scte_35', 'timed_id3'], stdout);
    }
  });

  it('every API refuses to edit or delete a Live stream on air, and tells its status', async () => {
    const edit = await service.rest('PUT', `/livestreams/${show.livestreamId}`, { description: 'no' });
    assert.deepEqual([edit.status, edit.body.code], [409, 'wrong_state']);
    const remove = await service.rest('DELETE', `/livestreams/${show.livestreamId}`);
    assert.deepEqual([remove.status, remove.body.code], [409, 'wrong_state']);
    const rest = await service.rest('GET', `/livestreams/${show.livestreamId}/status`);
    const mcp = await call('http', 'get_livestream_status', { livestream: 'show' });
    for (const status of [rest.body.data, mcp.structuredContent]) {
      assert.deepEqual([status.status, status.on_air, status.slot], [2, true, 1]);
      assert.equal(status.publishings[0].primary.state, 'up');
    }
    const devices = await service.rest('GET', '/devices/livestatus');
    assert.equal(devices.body.rows[0].livestreams[0].livestreamId, show.livestreamId);
  });

  it('a Live stream stops to 0 with nothing left running, and logs what happened', async () => {
    const answer = await call('stdio', 'stop_livestream', { livestream: 'Show' });
    assert.equal(answer.isError ?? false, false, JSON.stringify(answer.structuredContent));
    assert.equal((await statusOf(service, show.livestreamId)).status, 0);
    await until('no runner left', () =>
      processesOf(service.scratch).every(({ command }) => !/runner|ffmpeg/u.test(command)),
    );
    const { body } = await service.rest('GET', `/livestreams/${show.livestreamId}/events`);
    const kinds = body.rows.map((event: { kind: string }) => event.kind) as string[];
    for (const kind of ['start_requested', 'started', 'destination_up', 'stop_requested', 'stopped'])
      assert.ok(kinds.includes(kind), `${kind} in ${kinds.join(', ')}`);
  });
});
