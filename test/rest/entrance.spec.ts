/** Under which names the server answers: a page whose name was rebound to this machine gets nothing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { selfSigned } from '../helpers/servers/certificate.ts';
import { PROGRAM, startService, TOKEN, type Service } from '../helpers/service.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';
import { wordsOf } from '../helpers/words.ts';

const NAMES = 'DNS:studio.example.com,DNS:*.venue.example,IP:192.0.2.50,IP:127.0.0.1';

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
  const folder = testFolder({ after }, 'names');
  let pair: { certificate: string; key: string };
  let service: Service;
  before(async () => {
    pair = selfSigned(folder, NAMES);
    const tls = { ONAIR_TLS_CERT: pair.certificate, ONAIR_TLS_KEY: pair.key };
    // The calls of this process are no matter of trust.
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    service = await startService({ ...tls, ONAIR_PUBLIC_URL: 'https://live.example.org' });
  });
  after(async () => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    await service?.dispose();
  });

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

  it('Host and Origin are known by loopback, by any address of the machine, by the public URL, and by the names of the certificate', async () => {
    for (const host of wordsOf(`
      localhost:8090 127.0.0.1 127.8.8.8:1 [::1]:8090 192.0.2.17:8090 [2001:db8::5] live.example.org
      LIVE.example.org.:443 studio.example.com:8090 Studio.example.com. hall.venue.example
    `))
      assert.equal((await ask('GET', '/healthz', { host })).status, 200, host);
    const live = ['live.example', 'example.com', 'a.studio.example.com', 'venue.example', 'a.hall.venue.example'];
    for (const host of ['localhost.evil.example', '127.0.0.1.evil.example', '192.0.2.17.nip.example', ...live])
      assert.equal((await ask('GET', '/healthz', { host })).status, 403, host);
  });

  it('the server lets the pages of the same address call it, and those of the public URL', async () => {
    for (const [host, origin] of [
      ['192.0.2.17:8090', 'http://192.0.2.17:8090'],
      ['127.0.0.1:8090', 'https://live.example.org'],
      ['127.0.0.1:8090', 'http://localhost:5173'],
      ['studio.example.com:8090', 'https://studio.example.com:8090'],
      ['127.0.0.1:8090', 'https://hall.venue.example'],
      ['127.0.0.1:8090', 'https://192.0.2.50'],
    ] as const)
      for (const path of ['/svcapiv2/channels', '/mcp'])
        assert.equal(
          (await ask('GET', path, { host, origin })).status,
          path === '/mcp' ? 405 : 200,
          `${host} ${origin}`,
        );
    assert.equal((await ask('GET', '/svcapiv2/channels', { host: '192.0.2.17', origin: 'null' })).status, 403);
  });

  it('onair login reaches the server by a name of its certificate', async () => {
    const { port } = new URL(service.url);
    const here = `import dns from 'node:dns'; const { lookup } = dns; dns.lookup = (name, ...more) => lookup('127.0.0.1', ...more);`;
    const env = {
      ...service.env,
      XDG_CONFIG_HOME: folder,
      NODE_TLS_REJECT_UNAUTHORIZED: '1',
      NODE_EXTRA_CA_CERTS: pair.certificate,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(here)}`,
    };
    const login = spawn(process.execPath, [PROGRAM, 'login', `https://studio.example.com:${port}`], {
      env,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let printed = '';
    login.stderr.on('data', (chunk: Buffer) => (printed += String(chunk)));
    login.stdin.end(TOKEN);
    const [code] = (await once(login, 'close')) as [number];
    assert.equal(code, 0, printed);
  });

  it('a certificate that is renewed while the server runs brings its names, and takes those that it no longer has', async () => {
    selfSigned(folder, 'DNS:stage.example.com');
    const statusAs = async (host: string): Promise<number> => (await ask('GET', '/healthz', { host })).status;
    await until('the new name', async () => (await statusAs('stage.example.com')) === 200);
    assert.equal(await statusAs('studio.example.com'), 403);
  });

  it('Host and Origin leave media to every CDN and every player', async () => {
    const reply = await ask('GET', '/live/1/1/index.m3u8', { host: 'cdn.example', origin: 'https://player.example' });
    assert.equal(reply.status, 404);
  });
});
