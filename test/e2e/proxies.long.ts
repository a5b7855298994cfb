/** The product behind nginx and Caddy with the example files of docs/proxy/: sign-in, events, assistants, uploads and media of a broadcast. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openAsBlob, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { cleanUp, type Owner } from '../helpers/clean-up.ts';
import { goOnAir, mediaPlaylist, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { FeedClient } from '../helpers/feed-client.ts';
import { freePort } from '../helpers/ports.ts';
import { selfSigned } from '../helpers/servers/certificate.ts';
import { PROXIES, proxiesMissing, startExampleProxy, type ExampleProxy } from '../helpers/servers/example-proxy.ts';
import { makeClip, PROGRAM, startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { TestClient } from '../helpers/mcp-client.ts';

const PASSWORD = 'a quite long password';
const UPLOAD_BYTES = 30_000_000;
const CLIP_SECONDS = 8;
const authorization = `Bearer ${TOKEN}`;

describe('behind a reverse proxy', { skip: proxiesMissing }, () => {
  let service: Service;
  let show: SmallBroadcast;
  let certificate: string;
  const proxies = new Map<string, ExampleProxy>();

  before(async () => {
    const port = await freePort();
    service = await startService({
      ONAIR_BOOTSTRAP_PASSWORD: PASSWORD,
      ONAIR_PUBLIC_URL: `https://localhost:${port}`,
      ONAIR_TRUSTED_PROXIES: '127.0.0.1',
    });
    const { key, ...pair } = selfSigned(service.scratch);
    certificate = pair.certificate;
    const target = Number(new URL(service.url).port);
    for (const kind of PROXIES) {
      const own = kind === 'nginx' ? port : await freePort();
      proxies.set(kind, await startExampleProxy(kind, { port: own, target, certificate, key }));
    }
    show = await smallBroadcast(service);
    // The calls of this process are no matter of trust; the program below is told whom to trust.
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  });
  after(async () => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    for (const proxy of proxies.values()) await proxy.stop();
    await service?.dispose();
  });

  for (const kind of PROXIES)
    describe(kind, () => {
      const own = (): ExampleProxy => proxies.get(kind)!;
      const api = (path: string): string => `${own().url}/svcapiv2${path}`;

      /** A sign-in from an address of this machine, which the proxy passes on; answers the status and its headers. */
      async function signIn(
        password: string,
        localAddress = '127.0.0.1',
      ): Promise<{ status: number; cookie: string; csrf: string }> {
        const { port } = new URL(own().url);
        const headers = { 'content-type': 'application/json', host: `localhost:${port}`, origin: own().url };
        const place = {
          host: '127.0.0.1',
          port,
          localAddress,
          path: '/svcapiv2/security/login',
          servername: 'localhost',
        };
        const sent = request({ ...place, method: 'POST', headers, rejectUnauthorized: false, agent: false });
        sent.end(JSON.stringify({ username: 'admin', password }));
        const [response] = (await once(sent, 'response')) as [
          NodeJS.ReadableStream & { statusCode: number; headers: Record<string, string[]> },
        ];
        let text = '';
        for await (const chunk of response) text += String(chunk);
        const { data } = JSON.parse(text) as { data?: { csrf_token: string } };
        const cookie = response.headers['set-cookie']?.[0] ?? '';
        return { status: response.statusCode, cookie, csrf: data?.csrf_token ?? '' };
      }

      it('plain HTTP is sent to TLS, and the page comes over TLS with Strict-Transport-Security', async () => {
        const plain = await fetch(`http://localhost:${own().httpPort}/docs`, { redirect: 'manual' });
        assert.equal(plain.status, 308);
        assert.match(plain.headers.get('location') ?? '', /^https:\/\/localhost(?::\d+)?\/docs$/u);
        const page = await fetch(`${own().url}/`);
        assert.match(await page.text(), /^<!doctype html>/iu);
        assert.match(page.headers.get('strict-transport-security') ?? '', /^max-age=\d{7,}/u);
      });

      it('a sign-in on the page gets a cookie that is Secure, which reads and changes by REST', async () => {
        const { status, cookie, csrf } = await signIn(PASSWORD);
        assert.equal(status, 200);
        assert.match(cookie, /; Secure/u);
        const headers = { cookie: cookie.split(';')[0]!, origin: own().url };
        const read = await fetch(api('/channels'), { headers });
        assert.equal(read.status, 200);
        const change = { 'x-csrf-token': csrf, 'content-type': 'application/json' };
        const body = JSON.stringify({ description: kind });
        const path = api(`/channels/${show.channelId}`);
        const changed = await fetch(path, { method: 'PUT', headers: { ...headers, ...change }, body });
        assert.equal(changed.status, 200, await changed.text());
      });

      it('whoever guesses passwords waits by his own address, and nobody else behind the proxy does', async () => {
        const guess = async (): Promise<boolean> => (await signIn('a wrong password', '127.0.0.2')).status === 429;
        await until('the wait', guess);
        assert.equal((await signIn(PASSWORD, '127.0.0.3')).status, 200);
      });

      it('a start by an assistant over HTTP reports its progress while it goes on, and the broadcast is on air', async (t) => {
        const source = await heldSource(t, service);
        const settings = { url: source.url };
        const channelId = await service.create('/channels', { name: `Held ${kind}`, type: 'Stream', settings });
        const publishingId = await service.create('/publishings', { name: `Held ${kind}`, type: 'HLS / TS' });
        const { encodingGroupId } = (await service.rest('GET', `/livestreams/${show.livestreamId}`)).body.data;
        const bound = { channelId, encodingGroupId, publishingId };
        await service.create('/livestreams', { name: `Held ${kind}`, ...bound });
        const client = new TestClient();
        const address = new URL(`${own().url}/mcp`);
        await client.connect(
          new StreamableHTTPClientTransport(address, { requestInit: { headers: { authorization } } }),
        );
        const onprogress = (): void => source.go();
        const call = { name: 'start_livestream', arguments: { livestream: `Held ${kind}` } };
        const { isError } = await client.callTool(call, undefined, { onprogress, timeout: 600_000 });
        assert.notEqual(isError, true);
        await service.rest('POST', '/workflows/stop_livestream', { livestream: `Held ${kind}` });
        await client.close();
      });

      it('an event is told while the feed goes on', async (attempt) => {
        await goOnAir(service, show.livestreamId);
        const feed = new FeedClient(await fetch(api('/feed'), { headers: { authorization } }));
        attempt.after(() => feed.leave());
        await feed.wait('snapshot');
        for (const mode of ['Black Frame', 'Live']) {
          const from = feed.messages.length;
          const path = `/livestreams/${show.livestreamId}/runtimeOptions/blackout`;
          assert.equal((await service.rest('POST', path, { mode })).status, 200);
          await feed.wait('status', ({ by }) => by?.user === 'admin', { from });
        }
      });

      it('playlists and segments come with their caching headers and by ranges, as from the server itself', async () => {
        const path = `/live/${show.livestreamId}/${show.publishingId}/index.m3u8`;
        const { url, segments } = await until('segments', async () => {
          const playlist = await mediaPlaylist(`${own().url}${path}`);
          return playlist.segments.length > 0 && playlist;
        });
        const name = segments.at(-1)!;
        const direct = new URL(url.pathname, service.url);
        for (const relative of [name, url.href]) {
          const [through, straight] = [
            await fetch(new URL(relative, url)),
            await fetch(new URL(new URL(relative, url).pathname, direct)),
          ];
          assert.deepEqual([through.status, straight.status], [200, 200]);
          for (const header of ['cache-control', 'content-type', 'access-control-allow-origin'])
            assert.equal(through.headers.get(header), straight.headers.get(header), header);
        }
        const segment = Buffer.from(await (await fetch(new URL(name, url))).arrayBuffer());
        assert.deepEqual([segment[0], segment.length % 188], [0x47, 0]);
        const part = await fetch(new URL(name, url), { headers: { range: 'bytes=188-375' } });
        assert.equal(part.status, 206);
        assert.deepEqual(Buffer.from(await part.arrayBuffer()), segment.subarray(188, 376));
        await service.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
      });

      it('the addresses of media that the server answers are those of the proxy', async () => {
        const order = { publishingId: show.publishingId };
        const { body } = await service.rest('POST', `/livestreams/${show.livestreamId}/playbackLinks`, order);
        assert.match(String(body.detail), new RegExp(`${service.env['ONAIR_PUBLIC_URL']}/live/\\S+m3u8`, 'u'));
      });

      it(`an Asset of ${UPLOAD_BYTES / 1e6} MB is taken`, async () => {
        const clip = makeClip(join(service.scratch, 'part.mp4'), CLIP_SECONDS);
        const path = join(service.scratch, `${kind}.ts`);
        // The packets that fill up the rate are empty.
        const rate = ['-muxrate', String((UPLOAD_BYTES * 8) / CLIP_SECONDS), '-f', 'mpegts'];
        execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-i', clip, '-c', 'copy', ...rate, path]);
        const form = new FormData();
        form.set('fileType', 'files');
        form.set('file', await openAsBlob(path), `${kind}.ts`);
        const response = await fetch(api('/assets'), { method: 'POST', headers: { authorization }, body: form });
        const { data } = (await response.json()) as { data: { size_bytes: number } };
        assert.equal(response.status, 201);
        assert.ok(data.size_bytes > UPLOAD_BYTES * 0.95, `${data.size_bytes} bytes`);
      });

      it('`onair mcp` of another machine works by the address of the proxy', async () => {
        const { NODE_TLS_REJECT_UNAUTHORIZED: _any, ...rest } = service.env;
        const env = { ...rest, ONAIR_URL: own().url, ONAIR_TOKEN: TOKEN, NODE_EXTRA_CA_CERTS: certificate };
        const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
        let output = '';
        child.stdout.on('data', (chunk: Buffer) => (output += String(chunk)));
        const call = {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'getAllLivestreams', arguments: {} },
        };
        child.stdin.end(`${JSON.stringify(call)}\n`);
        await once(child, 'close');
        assert.match(output, /\\"name\\":\\"Show\\"/u, output);
      });
    });
});

/** A source whose media comes once `go` was called, and which is waited for until then. */
async function heldSource(t: Owner, { scratch }: Service): Promise<{ url: string; go(): void }> {
  const media = readFileSync(makeClip(join(scratch, 'held.ts'), 20));
  let go = (): void => undefined;
  const gone = new Promise<void>((resolve) => (go = resolve));
  const server = createServer((_request, response) => void gone.then(() => response.end(media)));
  cleanUp(t, () => server.close());
  cleanUp(t, () => server.closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/live.ts`, go };
}
