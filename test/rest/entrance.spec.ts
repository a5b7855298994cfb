/** Under which names the server answers: a page whose name was rebound to this machine gets nothing. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { startService, type Service } from '../helpers/service.ts';

const EVERYWHERE = [
  ['GET', '/'],
  ['GET', '/watch'],
  ['GET', '/openapi.json'],
  ['GET', '/healthz'],
  ['GET', '/readyz'],
  ['GET', '/metrics'],
  ['GET', '/svcapiv2/openapi.json'],
  ['GET', '/svcapiv2/channels'],
  ['GET', '/svcapiv2/security/me'],
  ['POST', '/svcapiv2/security/login'],
  ['POST', '/svcapiv2/channels'],
  ['GET', '/svcapiv2/recordings/1/file'],
  ['GET', '/nowhere'],
  ['POST', '/mcp'],
] as const;

interface Reply {
  status: number;
  header: unknown;
}

describe('Host and Origin', () => {
  let service: Service;
  before(async () => {
    service = await startService({ ONAIR_PUBLIC_URL: 'https://live.example.org' });
  });
  after(() => service?.dispose());

  function ask(method: string, path: string, headers: Record<string, string>): Promise<Reply> {
    const { port } = new URL(service.url);
    const authorization = `Bearer ${service.env['ONAIR_BOOTSTRAP_TOKEN']}`;
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port, method, path, headers: { authorization, ...headers } },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const body = /json/u.test(reply.headers['content-type'] ?? '') ? JSON.parse(text) : {};
            resolve({ status: reply.statusCode ?? 0, header: body.header ?? body.error?.data?.header });
          });
        },
      );
      sent.once('error', reject);
      sent.end();
    });
  }

  for (const [method, path] of EVERYWHERE) {
    it(`${method} ${path} is refused under a foreign name and to a foreign page`, async () => {
      const host = await ask(method, path, { host: 'evil.example' });
      assert.deepEqual(host, { status: 403, header: 'Host' });
      const both = await ask(method, path, { host: 'evil.example:80', origin: 'http://evil.example' });
      assert.deepEqual(both, { status: 403, header: 'Host' });
      const origin = await ask(method, path, { host: 'localhost', origin: 'http://203.0.113.7' });
      assert.deepEqual(origin, { status: 403, header: 'Origin' });
    });
  }

  it('Host and Origin are known by loopback, by any address of the machine, and by the public URL', async () => {
    for (const host of [
      'localhost:8090',
      '127.0.0.1',
      '127.8.8.8:1',
      '[::1]:8090',
      '192.0.2.17:8090',
      '[2001:db8::5]',
      'live.example.org',
      'LIVE.example.org.:443',
    ])
      assert.equal((await ask('GET', '/healthz', { host })).status, 200, host);
    for (const host of ['localhost.evil.example', '127.0.0.1.evil.example', '192.0.2.17.nip.example', 'live.example'])
      assert.equal((await ask('GET', '/healthz', { host })).status, 403, host);
  });

  it('the server lets the pages of the same address call it, and those of the public URL', async () => {
    for (const [host, origin] of [
      ['192.0.2.17:8090', 'http://192.0.2.17:8090'],
      ['127.0.0.1:8090', 'https://live.example.org'],
      ['127.0.0.1:8090', 'http://localhost:5173'],
    ] as const)
      assert.equal((await ask('GET', '/svcapiv2/channels', { host, origin })).status, 200, `${host} ${origin}`);
    assert.equal((await ask('GET', '/svcapiv2/channels', { host: '192.0.2.17', origin: 'null' })).status, 403);
  });

  it('Host and Origin leave media to every CDN and every player', async () => {
    const reply = await ask('GET', '/live/1/1/index.m3u8', { host: 'cdn.example', origin: 'https://player.example' });
    assert.equal(reply.status, 404);
  });
});
