/** Sources and targets in a network that may not be reached: 127.0.0.2 stands for it, and no connection may arrive there. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { keepNetworks } from '../../../device/network-rules.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { selfSigned } from '../../helpers/servers/certificate.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { innerService } from './inner-service.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { startWebServer } from './web-server.ts';

const opensslMissing = spawnSync('openssl', ['version']).error === undefined ? false : 'needs openssl';
const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];

async function failure(runner: TestRunner): Promise<string> {
  await runner.exited;
  const report = JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport;
  assert.equal(report.phase, 'failed');
  return report.error!;
}

describe('a network that may not be reached', { concurrency: 4 }, () => {
  it('a source in a forbidden network is refused with the reason by redirect, segment and name', async (t) => {
    const dir = folder(t);
    keepNetworks(dir, '!127.0.0.2');
    const { port, connections } = await innerService(t);
    const there = `127.0.0.2:${port}`;
    const web = await startWebServer(t, dir, {
      '/go.ts': (response) => void response.writeHead(302, { location: `http://${there}/live.ts` }).end(),
      '/live.m3u8': (response) =>
        void response.end(
          `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://${there}/0.ts\n#EXTINF:2,\nhttps://${there}/1.ts\n#EXT-X-ENDLIST\n`,
        ),
    });
    const refused = /127\.0\.0\.2 is in a network that is refused, .* ONAIR_SOURCE_NETWORKS/u;
    const refusal = async (name: string, path: string, reason: RegExp, startTimeoutSeconds = 20): Promise<void> => {
      const from = source('Stream', { url: `${web.url}${path}` });
      const runner = startRunner(t, dir, runSpec(name, from, HLS, { ...SMALL, startTimeoutSeconds }));
      assert.match(await failure(runner), reason, name);
    };
    await Promise.all([
      refusal('redirect', '/go.ts', refused),
      refusal('segment', '/live.m3u8', /127\.0\.0\.2 is in a network that is refused|no media within/u, 2),
    ]);
    assert.equal(connections(), 0);
    const named = folder(t);
    keepNetworks(named, '!127.0.0.1,!::1');
    const url = web.url.replace('127.0.0.1', 'localhost');
    const requests = web.requests.length;
    const elsewhere = source('Stream', { url: `${url}/live.m3u8` });
    const runner = startRunner(t, named, runSpec('named', elsewhere, HLS, { ...SMALL, startTimeoutSeconds: 20 }));
    assert.match(await failure(runner), /localhost leads to an address that is refused/u);
    assert.equal(web.requests.length, requests);
  });

  it('a source in another network is taken in by the proxy, by a name and a redirect', async (t) => {
    const dir = folder(t);
    keepNetworks(dir, '!127.0.0.2');
    execFileSync('ffmpeg', ['-v', 'error', '-i', clip(dir, { seconds: 3 }), '-c', 'copy', join(dir, 'feed.ts')]);
    const web = await startWebServer(t, dir, {
      '/go.ts': (response) => void response.writeHead(302, { location: '/feed.ts' }).end(),
    });
    const url = `${web.url.replace('127.0.0.1', 'localhost')}/go.ts?key=1`;
    const runner = startRunner(t, dir, runSpec('elsewhere', source('Stream', { url }), HLS, SMALL));
    await running(runner);
    // In origin form, as servers know it.
    assert.deepEqual(web.requests.slice(0, 2), ['/go.ts?key=1', '/feed.ts']);
    await runner.stop();
    await runner.exited;
  });

  it('a source by HTTPS is taken in through a tunnel', { skip: opensslMissing }, async (t) => {
    const dir = folder(t);
    execFileSync('ffmpeg', ['-v', 'error', '-i', clip(dir, { seconds: 3 }), '-c', 'copy', join(dir, 'feed.ts')]);
    const { key, certificate } = selfSigned(dir);
    let requests = 0;
    const server = createSecureServer(
      { key: readFileSync(key), cert: readFileSync(certificate) },
      (_request, response) => {
        requests += 1;
        response.on('error', () => undefined);
        createReadStream(join(dir, 'feed.ts')).pipe(response);
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp(t, () => {
      server.closeAllConnections();
      server.close();
    });
    const url = `https://localhost:${(server.address() as AddressInfo).port}/feed.ts`;
    const runner = startRunner(t, dir, runSpec('secure', source('Stream', { url }), HLS, SMALL));
    await running(runner);
    assert.ok(requests > 0);
    await runner.stop();
    await runner.exited;
  });
});
