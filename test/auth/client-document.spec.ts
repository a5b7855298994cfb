/** Client id metadata documents over real TLS, and the addresses that are never asked. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createClientDocuments, type ClientDocuments } from '../../auth/oauth/client-document.ts';
import { parseNetworks, type ResolveAll } from '../../domain/network/networks.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { selfSigned } from '../helpers/servers/certificate.ts';
import { testFolder } from '../helpers/test-folder.ts';

/** A name server that has every name at one address. */
const namesAt =
  (address: string): ResolveAll =>
  (_host, _options, found) =>
    found(null, [{ address, family: address.includes(':') ? 6 : 4 }]);

describe('client id metadata documents', () => {
  let server: Server;
  let ca: string;
  let origin: string;
  let requests = 0;
  let answer: { status?: number; type?: string; body: string | ((id: string) => object); headers?: object };
  let clock: FakeClock;
  let documents: ClientDocuments;

  before(async () => {
    const { key, certificate } = selfSigned(testFolder({ after }, 'client-document'), 'DNS:assistant.example');
    ca = readFileSync(certificate, 'utf8');
    server = createServer({ key: readFileSync(key), cert: ca }, (request, response) => {
      requests += 1;
      const { status = 200, type = 'application/json', body, headers = {} } = answer;
      response.writeHead(status, { 'content-type': type, ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body(`${origin}${request.url ?? ''}`)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `https://assistant.example:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    requests = 0;
    answer = {
      body: (client_id) => ({ client_id, client_name: 'Assistant', redirect_uris: ['https://assistant.example/cb'] }),
    };
    clock = new FakeClock();
    documents = createClientDocuments({
      clock,
      network: { policy: parseNetworks(), resolve: namesAt('127.0.0.1'), ca },
    });
  });

  async function refused(id: string, words: RegExp, from = documents): Promise<void> {
    await assert.rejects(from.read(id), (error: any) => {
      assert.equal(error.extras.facts.error, 'invalid_client', id);
      assert.match(error.message as string, words, id);
      return true;
    });
  }

  it('a document says who a client is, and is read again after ten minutes', async () => {
    const id = `${origin}/client.json`;
    const client = await documents.read(id);
    assert.deepEqual(client, {
      id,
      name: 'Assistant',
      redirectUris: ['https://assistant.example/cb'],
      documentHost: new URL(origin).host,
    });
    await documents.read(id);
    assert.equal(requests, 1);
    clock.advance(10 * 60_000);
    await documents.read(id);
    assert.equal(requests, 2);
  });

  it('a document that is another one’s, is no JSON, is too large, moved or holds a secret does not count, and is asked for again', async () => {
    const id = `${origin}/client.json`;
    const whole = { client_name: 'A', redirect_uris: ['https://assistant.example/cb'] };
    const wrong: [typeof answer, RegExp][] = [
      [{ body: () => ({ ...whole, client_id: `${origin}/other.json` }) }, /client_id is not the address/u],
      [{ body: () => ({ ...whole, client_id: id, client_secret: 'x' }) }, /client_secret/u],
      [{ body: () => ({ ...whole, client_id: id, token_endpoint_auth_method: 'private_key_jwt' }) }, /auth_method/u],
      [{ body: '<html>' }, /no JSON/u],
      [{ body: 'null' }, /client_id is not/u],
      [{ type: 'text/html', body: '{}' }, /type "text\/html"/u],
      [{ status: 404, body: '{}' }, /status 404/u],
      [{ status: 302, body: '{}', headers: { location: 'https://127.0.0.1/inside' } }, /status 302/u],
      [{ body: JSON.stringify({ pad: 'x'.repeat(20_000) }) }, /more than 16384 bytes/u],
    ];
    for (const [next, words] of wrong) {
      answer = next;
      await refused(id, words);
    }
    assert.equal(requests, wrong.length);
    answer = { body: () => ({ client_id: id, redirect_uris: ['javascript:alert(1)'] }) };
    await assert.rejects(documents.read(id), /has the scheme javascript:/u);
  });

  it('an address within this network is never asked, by whatever name or form, and no setting opens it', async () => {
    const own = createClientDocuments({ clock });
    const { port } = server.address() as AddressInfo;
    const inside = [
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
      `[::ffff:7f00:1]:${port}`,
      '10.1.2.3',
      '172.16.0.9',
      '192.168.1.1',
      '100.64.0.1',
      '169.254.169.254',
      'metadata.google.internal',
      '[fd00::1]',
      '[fe80::1]',
      '[64:ff9b::a00:1]',
      '0.0.0.0',
    ];
    for (const host of inside) await refused(`https://${host}/client.json`, /refused|link-local|metadata/u, own);
    for (const address of ['127.0.0.1', '10.0.0.7', 'fd00::7', '::1']) {
      const led = createClientDocuments({ clock, network: { resolve: namesAt(address), ca } });
      await refused(`${origin}/client.json`, /leads to an address that is refused/u, led);
    }
    assert.equal(requests, 0);
  });

  it('an id that is written in another way than a URL is, or has no path of its own, is none', async () => {
    const ids = [
      'https://assistant.example',
      'https://assistant.example/',
      'https://ASSISTANT.example/client.json',
      'https://assistant.example/a/../client.json',
      'https://user:password@assistant.example/client.json',
      'https://assistant.example/client.json#x',
      'https://2130706433/client.json',
    ];
    for (const id of ids) await refused(id, /is no https address of a client document/u);
  });

  it('a stranger makes this server ask others sixty times a minute at most', async () => {
    answer = { status: 404, body: '{}' };
    for (let count = 0; count < 60; count += 1) await refused(`${origin}/${count}`, /status 404/u);
    await assert.rejects(documents.read(`${origin}/more`), /Too many client documents/u);
    clock.advance(60_000);
    await refused(`${origin}/more`, /status 404/u);
  });
});
