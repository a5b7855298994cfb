/** Folders and providers in a network that may not be reached: 127.0.0.2 stands for it, and no connection may arrive there. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { after, before, describe, it, test } from 'node:test';
import { parseNetworks } from '../../domain/network/networks.ts';
import type { RemoteFolder, TargetFolder } from '../../domain/shapes/media/folder.ts';
import { exchange } from '../../integrations/exchange.ts';
import { setNetworks } from '../../integrations/reach.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { assertInvalid, remoteFolder, targetFolder } from './folder-rows.ts';

const ASKING = {
  service: 'key server',
  method: 'POST',
  headers: {},
  secrets: [],
  timeoutMs: 5000,
  maxBytes: 1000,
} as const;

describe('folders and providers in refused networks', () => {
  const servers: Server[] = [];
  let connections = 0;
  let port: number;
  before(async () => {
    setNetworks(parseNetworks('!127.0.0.2,!127.0.0.1,!::1'));
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  after(() => {
    for (const server of servers) server.close();
    setNetworks(parseNetworks());
  });

  const folders = (host: string): (RemoteFolder | TargetFolder)[] => [
    remoteFolder({ protocol: 'WEBDAV', host: `http://${host}:${port}` }),
    remoteFolder({ protocol: 'NFS', host: `${host}:${port}` }),
    targetFolder({ type: 'FTP', host, port, user: 'onair' }),
    targetFolder({ type: 'SFTP', host, port, user: 'onair' }),
    targetFolder({
      type: 'S3',
      host: null,
      endpoint: `http://${host}:${port}`,
      bucket: 'clips',
      access_key: 'a',
      secret_key: 'b',
    }),
  ];

  it('folders in refused networks are found invalid by their address, without a packet', async () => {
    for (const folder of folders('127.0.0.2'))
      await assertInvalid(folder, /^127\.0\.0\.2 is in a network that is refused, .* ONAIR_SOURCE_NETWORKS/u);
    assert.equal(connections, 0);
  });

  it('folders in refused networks are found invalid by what their name leads to', async () => {
    for (const folder of folders('localhost'))
      await assertInvalid(folder, /^Localhost leads to an address that is refused: (?:127\.0\.0\.1|::1) is/u);
    assert.equal(connections, 0);
  });

  it('providers in refused networks are not asked by HTTP', async () => {
    const { signal } = new AbortController();
    for (const host of ['127.0.0.2', 'localhost', '169.254.169.254']) {
      const url = new URL(`http://${host}:${port}/`);
      await assert.rejects(exchange({ ...ASKING, url, signal }), {
        code: 'upstream_failed',
        message: /^The key server was not asked: .*ONAIR_SOURCE_NETWORKS/u,
      });
    }
    assert.equal(connections, 0);
  });
});

test('a service is asked at the address that was checked, not at what its name leads to a moment later', async (t) => {
  const server = createHttpServer((_, response) => response.end('asked')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => server.close());
  const answers = ['127.0.0.1', '169.254.169.254'];
  const resolved: string[] = [];
  setNetworks(parseNetworks(), (host, _, found) => {
    resolved.push(host);
    found(null, [{ address: answers.shift() ?? '169.254.169.254', family: 4 }]);
  });
  cleanUp(t, () => setNetworks(parseNetworks()));
  const ask = (): ReturnType<typeof exchange> =>
    exchange({
      ...ASKING,
      url: new URL(`http://keys.test:${(server.address() as AddressInfo).port}/`),
      headers: { connection: 'close' },
      signal: new AbortController().signal,
    });
  assert.equal((await ask()).text, 'asked');
  assert.deepEqual(resolved, ['keys.test']);
  await assert.rejects(ask(), {
    message: /^The key server was not asked: keys\.test leads to an address that is refused: 169\.254/u,
  });
});
