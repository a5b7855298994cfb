/** A first broadcast from an empty store, in one call, with the real program and real ffmpeg. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { mediaPlaylist } from '../helpers/broadcast.ts';
import { freePort } from '../helpers/ports.ts';
import { makeClip, startService, TOKEN, type RestReply, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const LISTS = ['livestreams', 'channels', 'encodings', 'encodings/groups', 'publishings', 'assets?fileType=files'];

describe('a first broadcast from an empty store', () => {
  let service: Service;
  let senders: ChildProcess[] = [];
  let servers: Server[] = [];
  beforeEach(async () => {
    service = await startService();
  });
  afterEach(async () => {
    for (const sender of senders) sender.kill('SIGKILL');
    for (const server of servers) server.close();
    senders = [];
    servers = [];
    await service.dispose();
  });

  async function upload(
    path: string,
    filename: string,
    fields: object,
    headers: Record<string, string> = {},
  ): Promise<RestReply> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('file', new Blob([readFileSync(path)]), filename);
    const response = await fetch(`${service.url}/svcapiv2/setUp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      body: form,
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }
  async function countOf(list: string): Promise<number> {
    return (await service.rest('GET', `/${list}`)).body.pagination.total as number;
  }

  /** A frame of what viewers get, as its mean brightness and its size. */
  async function frameOf(url: string): Promise<{ width: number; height: number; luma: number }> {
    const playlist = await until('a segment', async () => {
      const found = await mediaPlaylist(url);
      return found.segments.length > 0 ? found : undefined;
    });
    const segment = new URL(playlist.segments.at(-1)!, playlist.url).href;
    const size = execFileSync('ffprobe', [
      ...['-v', 'error', '-select_streams', 'v', '-show_entries', 'stream=width,height', '-of', 'csv=p=0', segment],
    ]);
    // A transport stream tells its tracks once for the programme and once more.
    const [width = 0, height = 0] = size.toString().trim().split('\n')[0]!.split(',').map(Number);
    const pixels = execFileSync('ffmpeg', [
      ...['-v', 'error', '-i', segment, '-frames:v', '1', '-vf', 'scale=16:16,format=gray', '-f', 'rawvideo', '-'],
    ]);
    return { width, height, luma: pixels.reduce((sum, value) => sum + value, 0) / pixels.length };
  }

  it('an HTTP address is on air, and a name that is taken gets a number', async () => {
    const media = readFileSync(makeClip(join(service.scratch, 'served.ts'), 20, '640x360'));
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'video/mp2t' }).end(media),
    );
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/live.ts`;
    await service.create('/channels', { name: 'Arena', type: 'Stream', settings: { url: address } });
    const { status, body } = await service.rest('POST', '/setUp', { address, name: 'Arena' });
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(body.data.name, 'Arena 2');
    const { luma } = await frameOf(body.data.watch[0].url);
    assert.ok(luma > 40, `mean brightness ${luma}`);
  });

  it('an SRT address that listens is on air once somebody sends', async () => {
    const port = await freePort();
    const clip = makeClip(join(service.scratch, 'sent.ts'), 30, '640x360');
    const answer = service.rest('POST', '/setUp', { address: `srt://127.0.0.1:${port}?mode=listener`, name: 'Field' });
    await until('the Live stream', async () => (await countOf('livestreams')) === 1);
    // A caller that comes before the listener gives up, so it is sent again.
    const send = (): void => {
      const args = ['-v', 'error', '-re', '-i', clip, '-c', 'copy', '-f', 'mpegts', `srt://127.0.0.1:${port}`];
      const sender = spawn('ffmpeg', args, { stdio: 'ignore' });
      senders.push(sender);
      sender.once('exit', (code) => code !== null && code !== 0 && send());
    };
    send();
    const { status, body } = await answer;
    assert.equal(status, 201, JSON.stringify(body));
    const { luma } = await frameOf(body.data.watch[0].url);
    assert.ok(luma > 40, `mean brightness ${luma}`);
  });

  for (const outcome of ['on air', 'failed'] as const) {
    it(`a server that is killed in the middle leaves nothing half: it is ${outcome}, and the retry under the key tells so`, async () => {
      const path = makeClip(join(service.scratch, 'drop.mp4'), 8, '640x360');
      const refusing = `http://127.0.0.1:${await freePort()}/a.ts`;
      const headers = { 'idempotency-key': 'drop-1' };
      const send = (): Promise<RestReply> =>
        outcome === 'on air'
          ? upload(path, 'drop.mp4', {}, headers)
          : service.rest('POST', '/setUp', { address: refusing }, headers);
      const cut = send().catch(() => undefined);
      await until('the rows', async () => (await countOf('livestreams')) === 1);
      await service.kill('SIGKILL');
      assert.equal(await cut, undefined);
      await service.restart();
      const { status, body } = await send();
      if (outcome === 'on air') {
        assert.equal(status, 201, JSON.stringify(body));
        assert.equal(body.data.on_air, true);
        for (const list of LISTS) assert.equal(await countOf(list), 1, list);
      } else {
        assert.equal(status, 502, JSON.stringify(body));
        assert.equal(await countOf('livestreams'), 1);
      }
    });
  }
});
