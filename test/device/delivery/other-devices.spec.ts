/** The address of a Destination at the server, while another Device serves it: real files, real HTTP between player, server and Devices. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { otherDevices } from '../../../bin/server/other-devices.ts';
import { writeAccess } from '../../../device/delivery/access.ts';
import { mediaOverHttp } from '../../../device/delivery/media-over-http.ts';
import { Viewers } from '../../../device/delivery/viewer-limits.ts';
import type { OtherDevices } from '../../../device/delivery/others/other-devices.ts';
import { liveDir } from '../../../device/run-dir.ts';
import {
  playbackPath,
  playbackToken,
  type DeliveryPlace,
  type DevicePlace,
} from '../../../domain/shapes/destinations/playback.ts';
import { systemClock } from '../../../domain/time/clock.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';

const KEY = Buffer.alloc(32, 7).toString('base64url');
const PATH = playbackPath(7, 9);
const MASTER =
  '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="sound-1/index.m3u8"\n#EXT-X-STREAM-INF:BANDWIDTH=1\n11/index.m3u8\n';
const HEAD = '#EXTM3U\n#EXT-X-TARGETDURATION:2\n';
const TIMING = '<UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-iso:2014" value="time.txt"/>';
const period = (number: number): string =>
  `  <Period id="${number}">\n    <SegmentTemplate media="11/$Number$.m4s"/>\n  </Period>\n`;
const mpd = (number: number): string =>
  `<MPD type="dynamic" availabilityStartTime="2026-01-01T00:00:00.000Z">\n${period(number)}  ${TIMING}\n</MPD>\n`;

interface Port {
  url: string;
  folder: string;
  /** Writes a file of the Destination. */
  write(file: string, text: string): void;
  /** Paths that were requested. */
  requested: string[];
  end(): void;
}

async function serve(t: TestContext, others?: OtherDevices): Promise<Port> {
  const deviceDir = testFolder(t, 'others');
  const folder = liveDir(deviceDir, 7, 9);
  const requested: string[] = [];
  const deps = {
    deviceDir,
    clock: systemClock,
    viewers: new Viewers({ perAddress: 50, all: 50 }),
    stallMs: 60_000,
    addressOf: ({ remoteAddress }: IncomingMessage['socket']) => remoteAddress ?? '',
    others,
  };
  const server: Server = createServer((incoming, response) => {
    requested.push(incoming.url ?? '');
    void mediaOverHttp(incoming, response, deps);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const end = (): void => {
    server.close();
    server.closeAllConnections();
  };
  cleanUp(t, end);
  const write = (file: string, text: string): void => {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`, folder, write, requested, end };
}

interface Fixture {
  first: Port;
  second: Port;
  server: Port;
  /** Moves the Destination. */
  at(place: DeliveryPlace | undefined): void;
  get(file: string, init?: RequestInit): Promise<Response>;
  text(file: string): Promise<string>;
}

const placeAt = (device: Port | undefined, more: Partial<DevicePlace> = {}): DevicePlace => ({
  runId: 'one',
  broadcast: 'today',
  url: device?.url,
  isPrivate: false,
  key: undefined,
  token: undefined,
  isOver: false,
  ...more,
});

async function open(t: TestContext): Promise<Fixture> {
  let place: DeliveryPlace | undefined;
  const [first, second] = await Promise.all([serve(t), serve(t)]);
  const server = await serve(
    t,
    otherDevices(
      async () => place,
      () => undefined,
    ),
  );
  const get: Fixture['get'] = (file, init) => fetch(`${server.url}${file}`, { redirect: 'manual', ...init });
  place = placeAt(first);
  return { first, second, server, at: (next) => (place = next), get, text: async (file) => (await get(file)).text() };
}

describe('a Destination of another Device, at the server', () => {
  it('lists of another Device name media there and playlists here, to players of any page', async (t) => {
    const { first, get, text } = await open(t);
    first.write('index.m3u8', MASTER);
    first.write(
      '11/index.m3u8',
      `${HEAD}#EXT-X-MAP:URI="init.mp4"\n#EXTINF:2,\na.m4s\n#EXT-X-RENDITION-REPORT:URI="../12/index.m3u8"\n`,
    );
    first.write('manifest.mpd', mpd(0));
    assert.equal(await text(''), MASTER);
    assert.equal(
      await text('11/index.m3u8'),
      `${HEAD}#EXT-X-MAP:URI="${first.url}11/init.mp4"\n#EXTINF:2,\n${first.url}11/a.m4s\n#EXT-X-RENDITION-REPORT:URI="../12/index.m3u8"\n`,
    );
    assert.equal(
      await text('manifest.mpd'),
      mpd(0)
        .replace('<Period id="0">', `$&\n    <BaseURL>${first.url}</BaseURL>`)
        .replace('time.txt', `${first.url}$&`),
    );
    const answer = await get('index.m3u8', { headers: { origin: 'https://tv.example' } });
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.deepEqual([answer.headers.get('content-encoding'), await answer.text()], ['gzip', MASTER]);
    const etag = answer.headers.get('etag') ?? '';
    const same = await get('index.m3u8', { headers: { 'if-none-match': etag } });
    assert.deepEqual([same.status, same.headers.get('access-control-allow-origin')], [304, '*']);
    const head = await get('index.m3u8', { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal((await get('index.m3u8', { method: 'OPTIONS' })).status, 204);
    first.requested.length = 0;
    await Promise.all(Array.from({ length: 40 }, () => text('11/index.m3u8')));
    assert.ok(first.requested.length < 20, `${first.requested.length}: a version is read once for all viewers`);
  });

  it('private lists are for those who have a token, and carry it on', async (t) => {
    const { first, get, at } = await open(t);
    first.write('index.m3u8', MASTER);
    writeAccess(first.folder, KEY);
    const own = playbackToken(KEY, PATH, Date.now() + 60_000);
    at(placeAt(first, { isPrivate: true, key: KEY, token: own }));
    for (const query of ['', '?token=1.x', `?token=${playbackToken(KEY, PATH, Date.now() - 1000)}`])
      assert.equal((await get(`index.m3u8${query}`)).status, 403, query);
    assert.equal(first.requested.length, 0);
    for (const seconds of [100, 200]) {
      const token = playbackToken(KEY, PATH, Date.now() + seconds * 1000);
      const answer = await get(`index.m3u8?token=${token}`);
      assert.match(answer.headers.get('cache-control') ?? '', /^private/u);
      assert.ok((await answer.text()).includes(`\n11/index.m3u8?token=${token}\n`));
    }
    assert.ok(
      first.requested.every((path) => !path.includes('token=')),
      'the server has a token of its own',
    );
    at(placeAt(undefined, { runId: 'two' }));
    assert.equal((await get('index.m3u8')).status, 403, 'the last list is as private as it was');
  });

  it('while a Device is silent viewers get the last list, then that of the next Device, and the mark of the end only with the broadcast', async (t) => {
    const { first, second, text, get, at } = await open(t);
    const media = `${HEAD}#EXTINF:2,\na.ts\n`;
    first.write('11/index.m3u8', media);
    const last = await text('11/index.m3u8');
    first.end();
    at(placeAt(first, { runId: 'one again' }));
    assert.equal(await text('11/index.m3u8'), last, 'the Device does not answer');
    at(placeAt(undefined, { runId: 'two' }));
    assert.equal(await text('11/index.m3u8'), last, 'the next Device is not heard of');
    second.write('11/index.m3u8', `${media}#EXT-X-ENDLIST\n`);
    at(placeAt(second, { runId: 'three' }));
    assert.equal(await text('11/index.m3u8'), last, 'a run that has ended is followed by another');
    second.write('11/index.m3u8', media);
    at(placeAt(second, { runId: 'four' }));
    assert.ok((await text('11/index.m3u8')).includes(`${second.url}11/a.ts`));
    second.end();
    at(placeAt(second, { runId: 'four', isOver: true }));
    assert.match(await text('11/index.m3u8'), /a\.ts\n#EXT-X-ENDLIST\n$/u, 'players come to their end');
    at(placeAt(second, { runId: 'five', broadcast: 'tomorrow', isOver: true }));
    assert.equal((await get('11/index.m3u8')).status, 404);
    at(undefined);
    assert.equal((await get('11/index.m3u8')).status, 404);
  });

  it('a manifest of DASH keeps the Periods of the run before, with their media at the Device that has them', async (t) => {
    const { first, second, text, at } = await open(t);
    first.write('manifest.mpd', mpd(0));
    await text('manifest.mpd');
    second.write('manifest.mpd', mpd(140));
    at(placeAt(second, { runId: 'two' }));
    for (const version of [mpd(140), mpd(140).replace('type', 'publishTime="2026-01-01T00:01:00.000Z" type')]) {
      second.write('manifest.mpd', version);
      const both = await until('the version', async () => {
        const found = await text('manifest.mpd');
        return found.includes('publishTime') === version.includes('publishTime') && found;
      });
      assert.deepEqual(
        [...both.matchAll(/<Period id="(\d+)">\s*<BaseURL>([^<]*)</gu)].map(([, id, url]) => [id, url]),
        [
          ['0', first.url],
          ['140', second.url],
        ],
      );
    }
  });

  it('media that the server does not have is at the Device', async (t) => {
    const { first, server, get, at } = await open(t);
    server.write('11/mine.ts', 'mine');
    assert.equal(await (await get('11/mine.ts')).text(), 'mine', 'of a run that this machine had');
    const moved = await get('11/a.ts?token=1.x&CMCD=a%3D1');
    assert.deepEqual([moved.status, moved.headers.get('location')], [307, `${first.url}11/a.ts?token=1.x&CMCD=a%3D1`]);
    assert.deepEqual(
      [moved.headers.get('cache-control'), moved.headers.get('access-control-allow-origin')],
      ['no-store', '*'],
    );
    assert.equal((await get('other.m3u8')).status, 404);
    at({ address: 'https://cloud.example/live/5/6/' });
    assert.equal((await get('index.m3u8')).headers.get('location'), 'https://cloud.example/live/5/6/index.m3u8');
  });

  it('a list that names what is not of its Destination is not handed on, and one that nobody has is to be requested again', async (t) => {
    const lists: [string, string | undefined][] = [
      ...['https://other.example/a.ts', '../../8/a.ts', '#EXT-X-MAP:URI="//other.example/a.mp4"'].map(
        (line): [string, string] => ['11/index.m3u8', `${HEAD}${line}\n`],
      ),
      ['manifest.mpd', mpd(0).replace('11/$Number$', () => 'https://other.example/$Number$')],
      ['manifest.mpd', mpd(0).replace('    <Seg', '    <BaseURL>https://other.example/</BaseURL><Seg')],
      ['index.m3u8', undefined],
    ];
    await Promise.all(
      lists.map(async ([file, text]) => {
        const { first, get, at } = await open(t);
        if (text === undefined) at(placeAt(undefined));
        else first.write(file, text);
        const { status, headers } = await get(file);
        assert.deepEqual([status, headers.get('retry-after')], [503, '1'], text ?? file);
        assert.equal(headers.get('access-control-allow-origin'), '*');
      }),
    );
  });
});
