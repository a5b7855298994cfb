/** A server that comes to speak TLS while it is on air: its ports, its certificate and its renewal, and its own clients. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { cleanUp } from '../helpers/clean-up.ts';
import { itLong } from '../helpers/counts.ts';
import { goOnAir, mediaPlaylist, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { freePort } from '../helpers/ports.ts';
import { selfSigned } from '../helpers/servers/certificate.ts';
import { agentPid, pidsOf, PROGRAM, startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const PASSWORD = 'a quite long password';
const authorization = `Bearer ${TOKEN}`;

describe('TLS by the server itself', () => {
  let service: Service;
  let show: SmallBroadcast;
  let httpPort: number;
  let dir: string;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'onair-tls-'));
    service = await startService({ ONAIR_BOOTSTRAP_PASSWORD: PASSWORD });
    show = await smallBroadcast(service);
    await goOnAir(service, show.livestreamId);
    httpPort = await freePort();
    // The calls of this process are no matter of trust; that of the program, which has another environment, is looked at below.
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  });
  after(async () => {
    await service?.dispose();
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    rmSync(dir, { recursive: true, force: true });
  });

  /** The certificate that a port presents. */
  async function presented(port: number | string): Promise<X509Certificate> {
    const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const certificate = socket.getPeerX509Certificate();
    socket.destroy();
    return certificate ?? assert.fail('no certificate');
  }

  const runner = (): number[] => pidsOf(service.scratch, /onair\S* runner/u);
  /** The refusal of a link to a public Destination says where everybody may watch it. */
  const mediaUrl = async (): Promise<string> => {
    const order = { publishingId: show.publishingId };
    const { body } = await service.rest('POST', `/livestreams/${show.livestreamId}/playbackLinks`, order);
    return /https?:\S+m3u8/u.exec(String(body.detail))?.[0] ?? assert.fail(JSON.stringify(body));
  };

  /** A command of the CLI whose environment knows nothing of TLS. */
  async function cli(words: string[], input = ''): Promise<{ code: number; output: string }> {
    const { ONAIR_TLS_CERT: _cert, ONAIR_TLS_KEY: _key, ONAIR_HTTP_PORT: _port, ...env } = service.env;
    const child = spawn(process.execPath, [PROGRAM, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number];
    return { code, output };
  }

  it('a server on air that gets a certificate speaks TLS after its restart, on its port and on that of its Device, and the broadcast goes on', async () => {
    const former = { runner: runner(), agent: agentPid(service) };
    const first = await mediaPlaylist(await show.playlist());
    const { certificate, key } = selfSigned(dir);
    Object.assign(service.env, { ONAIR_TLS_CERT: certificate, ONAIR_TLS_KEY: key, ONAIR_HTTP_PORT: String(httpPort) });
    await service.restart();
    assert.match(service.url, /^https:\/\/127\.0\.0\.1:\d+$/u);
    await until('status 2', async () => (await statusOf(service, show.livestreamId)).status === 2);
    assert.deepEqual(runner(), former.runner);
    assert.notEqual(agentPid(service), former.agent);
    const later = await mediaPlaylist(await show.playlist());
    assert.equal(later.discontinuities, 0, later.text);
    assert.ok(later.mediaSequence >= first.mediaSequence);
    const own = readFileSync(certificate, 'utf8');
    const { port } = new URL(service.url);
    for (const each of [port, Number(port) + 1]) assert.equal((await presented(each)).toString(), own);
  });

  it('the address of media is one of TLS, a segment comes whole from either port, and browsers are told to stay with TLS', async () => {
    const address = await mediaUrl();
    assert.equal(new URL(address).protocol, 'https:');
    assert.equal(Number(new URL(address).port), Number(new URL(service.url).port) + 1);
    for (const master of [address, await show.playlist()]) {
      const { url, segments } = await mediaPlaylist(master);
      const response = await fetch(new URL(segments.at(-1)!, url));
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.deepEqual([response.status, bytes[0], bytes.length % 188], [200, 0x47, 0], master);
      assert.match(response.headers.get('strict-transport-security') ?? '', /^max-age=\d{7,}/u);
    }
    const page = await fetch(`${service.url}/`);
    assert.match(page.headers.get('strict-transport-security') ?? '', /^max-age=\d{7,}/u);
    // The server reads it from its own Device, whose certificate nobody has signed.
    const path = `${service.url}/svcapiv2/feed/live/${show.livestreamId}/${show.publishingId}/index.m3u8`;
    const through = await fetch(path, { headers: { authorization } });
    assert.equal(through.status, 200, await through.text());
  });

  it('the cookie of a session over TLS is marked Secure', async () => {
    const login = { username: 'admin', password: PASSWORD };
    const { status, headers } = await service.rest('POST', '/security/login', login);
    assert.equal(status, 200);
    assert.match(headers.get('set-cookie') ?? '', /; Secure/u);
  });

  it('plain HTTP is answered with 308 alone, to the same path and name over TLS', async () => {
    const { port } = new URL(service.url);
    const ask = async (method: string, path: string, host: string): Promise<[number?, string?]> => {
      const call = request({ port: httpPort, host: '127.0.0.1', method, path, headers: { host } });
      call.end(method === 'POST' ? '{}' : undefined);
      const [{ statusCode, headers }] = (await once(call, 'response')) as [
        { statusCode: number; headers: { location: string } },
      ];
      return [statusCode, headers.location];
    };
    for (const [method, path] of [
      ['GET', '/'],
      ['POST', '/svcapiv2/channels?x=1'],
      ['DELETE', '//elsewhere.example/x'],
    ] as const)
      assert.deepEqual(await ask(method, path, `studio.example:${httpPort}`), [
        308,
        `https://studio.example:${port}${path}`,
      ]);
    assert.deepEqual(await ask('GET', '/healthz', 'a b'), [308, `https://127.0.0.1:${port}/healthz`]);
    // Nobody answers plain HTTP on the port of TLS.
    await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
  });

  it('the CLI and an assistant of this machine find the server, and trust its own certificate, without any setting', async () => {
    const status = await cli(['status']);
    assert.deepEqual([status.code, status.output.includes('Show')], [0, true], status.output);
    const clip = await cli(['upload', join(service.scratch, 'clip.mp4'), '--type', 'files', '--name', 'again.mp4']);
    assert.equal(clip.code, 0, clip.output);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getAllLivestreams', arguments: {} } };
    const assistant = await cli(['mcp'], `${JSON.stringify(call)}\n`);
    assert.match(assistant.output, /\\"name\\":\\"Show\\"/u, assistant.output);
    const credentials = JSON.parse(
      readFileSync(join(service.scratch, 'config', 'onair', 'credentials.json'), 'utf8'),
    ) as object;
    assert.deepEqual(Object.keys(credentials), [service.url]);
  });

  it('an encoder that pushes by RTMPS to the address that the Channel shows is on air, by the certificate of the server', async (t) => {
    const port = await freePort();
    const settings = { app: 'live', stream_key: 'canary-of-rtmps', tls: true, port };
    const channelId = await service.create('/channels', { name: 'Truck', type: 'RTMP-Push', settings });
    type Ingest = { state: string; url: string };
    const ingest = async (): Promise<Ingest> => (await service.rest('GET', `/channels/${channelId}`)).body.data.ingest;
    const { url } = await until('it is listened for', async () => {
      const now = await ingest();
      return now.state === 'waiting' && now;
    });
    assert.match(url, new RegExp(`^rtmps://[^:]+:${port}/live/`, 'u'));
    assert.equal((await presented(port)).toString(), readFileSync(service.env['ONAIR_TLS_CERT']!, 'utf8'));
    const address = `rtmps://127.0.0.1:${port}/live/canary-of-rtmps`;
    const words = ['-v', 'error', '-nostdin', '-re', '-stream_loop', '-1', '-i', join(service.scratch, 'clip.mp4')];
    const encoder = spawn('ffmpeg', [...words, '-c', 'copy', '-f', 'flv', address], { stdio: 'ignore' });
    cleanUp(t, () => encoder.kill('SIGKILL'));
    await until('pictures come', async () => (await ingest()).state === 'receiving');
    const { rows } = (await service.rest('GET', '/encodings?search=large')).body;
    const livestreamId = await service.create('/livestreams', {
      name: 'Truck',
      channelId,
      encodingId: rows[0].id,
      publishingId: await service.create('/publishings', { name: 'truck', type: 'HLS / TS' }),
    });
    await goOnAir(service, livestreamId);
    const { body } = await service.rest('GET', `/livestreams/${livestreamId}/status`);
    assert.equal(body.data.source.state, 'up', JSON.stringify(body.data.source));
    await service.rest('POST', `/livestreams/${livestreamId}/stop`, {});
  });

  itLong(
    'a renewed pair is in force at both ports without a restart; until both files fit the former one stays, and the log says so',
    async () => {
      const port = Number(new URL(service.url).port);
      const former = await presented(port);
      const fresh = join(dir, 'fresh');
      mkdirSync(fresh);
      const { certificate, key } = selfSigned(fresh, 'DNS:studio.example');
      copyFileSync(certificate, service.env['ONAIR_TLS_CERT']!);
      await until('the refusal in the log', () =>
        /does not fit[^\n]*The renewed certificate is not taken/u.test(service.output()),
      );
      assert.equal((await presented(port)).toString(), former.toString());
      copyFileSync(key, service.env['ONAIR_TLS_KEY']!);
      const own = readFileSync(certificate, 'utf8');
      for (const each of [port, port + 1])
        await until('the renewed certificate', async () => (await presented(each)).toString() === own);
      const status = await cli(['status']);
      assert.equal(status.code, 0, `the certificate is for another name, and is this machine's own: ${status.output}`);
    },
  );

  it('a pair that does not fit, or half of one, ends the start with what is wrong named', () => {
    const other = join(dir, 'other');
    mkdirSync(other);
    const { key } = selfSigned(other);
    const nobody = join(dir, 'nobody');
    const start = (settings: NodeJS.ProcessEnv): string => {
      const env = { ...service.env, ONAIR_DATA: nobody, ONAIR_PORT: '0', ...settings };
      const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'serve'], {
        env,
        encoding: 'utf8',
        timeout: 60_000,
      });
      assert.equal(status === 0 || status === null, false, stderr);
      return stderr;
    };
    assert.match(
      start({ ONAIR_TLS_KEY: key }),
      /key in \S+other\/key\.pem does not fit the certificate in \S+certificate\.pem/u,
    );
    assert.match(start({ ONAIR_TLS_KEY: '', ONAIR_HTTP_PORT: '' }), /ONAIR_TLS_KEY is missing/u);
  });
});
