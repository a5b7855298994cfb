/** Sources and targets in a network that may not be reached: 127.0.0.2 stands for it, and no connection may arrive there. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RunReport, RunSpec } from '../../../domain/run.ts';
import { keepNetworks } from '../../../device/network-rules.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { selfSigned } from '../../helpers/servers/certificate.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { innerService } from './inner-service.ts';
import { fileSource, output, QUICK, rendition, runSpec, source } from './specs.ts';
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
  it('a source in a forbidden network is refused with the reason: as address, name, redirect, segment', async (t) => {
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
    const urls: [string, RegExp][] = [
      [`http://${there}/live.ts`, refused],
      [`http://user:secret@${there}/live.ts?x=1`, refused],
      [`https://${there}/live.ts`, refused],
      [`${web.url}/go.ts`, refused],
      [`rtmp://${there}/live/key`, refused],
      [
        'http://169.254.169.254/latest/meta-data/x.ts',
        /169\.254\.169\.254 is an address where clouds answer their metadata/u,
      ],
      [`${web.url}/live.m3u8`, /127\.0\.0\.2 is in a network that is refused|no media within/u],
    ];
    const refusal = async (name: string, from: RunSpec['source'], reason: RegExp, where = dir): Promise<void> => {
      const startTimeoutSeconds = name === 'there-6' ? 2 : 20;
      const runner = startRunner(t, where, runSpec(name, from, HLS, { ...SMALL, startTimeoutSeconds }));
      assert.match(await failure(runner), reason, name);
    };
    await Promise.all([
      ...urls.map(([url, reason], i) => refusal(`there-${i}`, source('Stream', { url }), reason)),
      refusal('there-srt', source('SRT', { host: '127.0.0.2', port, mode: 'caller' }), refused),
    ]);
    assert.equal(connections(), 0);
    const named = folder(t);
    keepNetworks(named, '!127.0.0.1,!::1');
    const url = web.url.replace('127.0.0.1', 'localhost');
    const requests = web.requests.length;
    const elsewhere = source('Stream', { url: `${url}/live.m3u8` });
    await refusal('named', elsewhere, /localhost leads to an address that is refused/u, named);
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

  it('a Destination in a forbidden network fails with the reason, and the others go on', async (t) => {
    const dir = folder(t);
    keepNetworks(dir, '!127.0.0.2');
    const { port, connections } = await innerService(t);
    const there = `127.0.0.2:${port}`;
    const outputs = [
      output(21, 'HLS / TS', QUICK.output),
      output(22, 'RTMP', { url: `rtmp://${there}/live`, stream_key: 'key' }),
      output(23, 'DASH', { url: `http://${there}/dash/` }),
      output(24, 'STREAM', { url: `udp://${there}` }),
      output(25, 'SRT', { url: `srt://${there}` }),
      output(26, 'HLS / TS', { url: 'http://169.254.169.254/live/' }),
    ];
    const runner = startRunner(t, dir, runSpec('targets', fileSource(clip(dir, { seconds: 3 })), outputs, SMALL));
    await running(runner);
    for (const id of [22, 23, 24, 25, 26]) {
      const path = await until(`Destination ${id} has an error`, async () => {
        const found = (await runner.report()).publishings.find((one) => one.publishingId === id)!.primary;
        return found.last_error !== null && found;
      });
      assert.match(path.last_error!, /(?:127\.0\.0\.2|169\.254\.169\.254) is .*ONAIR_SOURCE_NETWORKS/u);
      assert.notEqual(path.state, 'up');
    }
    assert.equal(connections(), 0);
    await runner.stop();
    await runner.exited;
  });
});
