/** The address that viewers are sent to: the server's, which stays, and the Device's own beside it; and where the server finds the media. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeviceRegistry, type KnownDevice } from '../../control/device-registry.ts';
import { Playback } from '../../control/playback.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { AppError } from '../../domain/base/errors.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { checkPlaybackToken, type DevicePlace } from '../../domain/shapes/destinations/playback.ts';
import type { Publishing } from '../../domain/shapes/destinations/publishing.ts';
import type { Run, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { FakeDevice } from '../helpers/fake-device.ts';

const KEY = Buffer.alloc(32, 5).toString('base64url');
const clock = new FakeClock();
const livestream = { id: 4, name: 'Show', deviceId: null } as unknown as Livestream;
const show = (type: string, access?: 'token'): Publishing =>
  ({ id: 9, name: 'Web', type, access, settings: { url: null } }) as unknown as Publishing;

function playback(publicUrl?: string): {
  of: Playback;
  run(deviceId: number): Run;
  rows: Map<number, Readonly<Device>>;
} {
  const registry = new DeviceRegistry();
  const link = new FakeDevice();
  const deviceRows = new Map<number, Readonly<Device>>();
  for (const [id, mediaUrl] of [
    [1, 'http://10.0.0.1:8091'],
    [2, 'http://10.0.0.2:8091'],
  ] as const) {
    registry.add({ id, link, isOwn: true, online: true, mediaUrl } satisfies KnownDevice);
    deviceRows.set(id, { id, local: id === 1 } as unknown as Device);
  }
  registry.add({ id: -6, link, isOwn: false, online: true, mediaUrl: 'https://cloud.example/' });
  const watch = [
    { publishingId: 8, path: '/live/4/8/index.m3u8' },
    { publishingId: 9, path: '/live/4/9/manifest.mpd', access: 'token' as const },
  ];
  registry.keepReport({ runId: 'r', watch, publishings: [] } as unknown as RunReport);
  return {
    of: new Playback({ registry, deviceRows, publicUrl, keyOf: () => KEY, clock }),
    rows: deviceRows,
    run: (deviceId) => ({ id: 4, runId: 'r', status: 2, deviceId }) as unknown as Run,
  };
}

const tokenOf = (url: string): string => new URL(url).searchParams.get('token') ?? '';

describe('addresses of viewers', () => {
  it('addresses of viewers are below the public URL, with its path, and the Device’s own are beside them', () => {
    const { of, run } = playback('https://live.example/tv/');
    const [open, tokened] = of.addresses(run(1));
    assert.deepEqual([open?.url, open?.expires_at], ['https://live.example/tv/live/4/8/index.m3u8', null]);
    assert.equal(open?.device_url, 'http://10.0.0.1:8091/live/4/8/index.m3u8');
    assert.equal(new URL(tokened?.device_url ?? '').search, new URL(tokened?.url ?? '').search);
    assert.match(tokened?.url ?? '', /^https:\/\/live\.example\/tv\/live\/4\/9\/manifest\.mpd\?token=/u);
    const expiresAtMs = Date.parse(tokened?.expires_at ?? '');
    assert.equal(expiresAtMs, Math.floor(clock.now() / 1000) * 1000 + 12 * 3_600_000);
    const check = (atMs: number): string => checkPlaybackToken(KEY, '/live/4/9/', tokenOf(tokened?.url ?? ''), atMs);
    assert.deepEqual([check(expiresAtMs - 1), check(expiresAtMs)], ['good', 'expired']);
    assert.deepEqual(of.addresses({ ...run(1), status: 1 }), [], 'off air there is nothing to watch');
  });

  it('addresses of viewers are the Device’s own without a public URL, and the same below it wherever the Device is', () => {
    const [own] = playback().of.addresses(playback().run(1));
    assert.deepEqual([own?.url, own?.device_url], ['http://10.0.0.1:8091/live/4/8/index.m3u8', null]);
    const { of, run } = playback('https://live.example');
    const [there] = of.addresses(run(2));
    assert.deepEqual(
      [there?.url, there?.device_url],
      ['https://live.example/live/4/8/index.m3u8', 'http://10.0.0.2:8091/live/4/8/index.m3u8'],
    );
  });

  it('the server itself reads media at the Device’s own address, with a token beside the address', () => {
    const { of, run } = playback('https://live.example');
    assert.deepEqual(of.source(livestream, run(1), 8), { url: 'http://10.0.0.1:8091/live/4/8/', token: undefined });
    const { url, token } = of.source(livestream, run(2), 9);
    assert.equal(url, 'http://10.0.0.2:8091/live/4/9/');
    assert.equal(checkPlaybackToken(KEY, '/live/4/9/', token ?? '', clock.now()), 'good');
    const refused = (task: () => unknown, code: string): void =>
      assert.throws(task, (error: AppError) => error.code === code);
    refused(() => of.source(livestream, run(2), 7), 'not_found');
    for (const unheard of [run(3), { ...run(1), runId: 'other' }])
      refused(() => of.source(livestream, unheard, 8), 'unavailable');
    refused(() => of.source(livestream, { ...run(1), status: 1 }, 8), 'wrong_state');
    refused(() => of.source(livestream, undefined, 8), 'wrong_state');
  });

  it('links of viewers are made ahead where their place is known, and refused where they mean nothing', () => {
    const { of, run } = playback('https://live.example');
    const ahead = of.link(livestream, show('CMAF', 'token'), undefined, clock.now() + 1000);
    assert.match(ahead.url, /^https:\/\/live\.example\/live\/4\/9\/index\.m3u8\?token=/u);
    const there = of.link({ ...livestream, deviceId: 2 }, show('DASH', 'token'), undefined, clock.now() + 1000);
    assert.match(there.url, /^https:\/\/live\.example\/live\/4\/9\/manifest\.mpd\?token=/u);
    assert.match(there.device_url ?? '', /^http:\/\/10\.0\.0\.2:8091\/live\/4\/9\/manifest\.mpd\?token=/u);
    const code = (task: () => unknown): string => {
      try {
        task();
        return 'answered';
      } catch (error) {
        return (error as AppError).code;
      }
    };
    const expires = clock.now() + 1000;
    assert.equal(
      code(() => of.link(livestream, show('CMAF'), undefined, expires)),
      'rule_violated',
    );
    assert.equal(
      code(() => of.link(livestream, show('RTMP', 'token'), undefined, expires)),
      'rule_violated',
    );
    const gone = { ...livestream, deviceId: 3 };
    assert.equal(
      code(() => playback().of.link(gone, show('CMAF', 'token'), undefined, expires)),
      'wrong_state',
    );
    // Wherever it will be, the server will know.
    assert.equal(of.link(gone, show('CMAF', 'token'), undefined, expires).device_url, null);
    // As it is on air, whatever the row says since.
    assert.equal(
      code(() => of.link(livestream, show('DASH'), run(1), expires)),
      'answered',
    );
  });
});

describe('places where Destinations are served', () => {
  const bound = { started_at: '2026-01-01T00:00:00.000Z', boundPublishings: [8, 9] };
  const placed = (of: Playback, run: Run, publishingId = 8): DevicePlace | undefined => {
    const place = of.place(run, publishingId);
    assert.ok(place === undefined || !('address' in place));
    return place;
  };

  it('a Destination is served where its run is now, and its private ones with what checks and makes tokens', () => {
    const { of, run } = playback('https://live.example');
    assert.equal(placed(of, { ...run(1), ...bound }), undefined, 'the files of this machine');
    const open = placed(of, { ...run(2), ...bound });
    assert.deepEqual([open?.url, open?.isPrivate, open?.isOver], ['http://10.0.0.2:8091/live/4/8/', false, false]);
    const tokened = placed(of, { ...run(2), ...bound }, 9);
    assert.equal(tokened?.key, KEY);
    assert.equal(checkPlaybackToken(KEY, '/live/4/9/', tokened?.token ?? '', clock.now()), 'good');
    assert.equal(placed(of, { ...run(2), ...bound }, 7), undefined, 'no Destination of it');
  });

  it('the next run of a broadcast is waited for, and what was served last is known when the broadcast is over', () => {
    const { of, run } = playback('https://live.example');
    const there = placed(of, { ...run(2), ...bound });
    const moved = placed(of, { ...run(1), ...bound, deviceId: 3, runId: 's' });
    assert.deepEqual([moved?.url, moved?.broadcast], [undefined, there?.broadcast]);
    const over = { ...run(2), ...bound, status: 0, deviceId: null, started_at: null } as unknown as Run;
    assert.deepEqual(placed(of, over), { ...there, isOver: true });
    assert.equal(placed(of, { ...over, runId: 'later' }), undefined);
    assert.equal(of.place(undefined, 8), undefined);
  });

  it('viewers stay with the former run until the next one is proven, so that no list goes back', () => {
    const { of, run } = playback('https://live.example');
    const move = { stage: 'proving', runId: 'r', slot: 1, cost: 1, lastEventSeq: 0 };
    const next = { ...run(1), ...bound, deviceId: 3, runId: 's' };
    assert.equal(placed(of, next)?.runId, 's');
    for (const stage of ['proving', 'returning'])
      assert.deepEqual(
        placed(of, { ...next, move: { ...move, stage }, otherDeviceId: 2 } as unknown as Run),
        placed(of, { ...run(2), ...bound }),
      );
  });

  it('of several servers each reads the lists of the Device that has them, its own machine too, and the cloud platform has its own address', () => {
    const { of, run, rows } = playback('https://live.example');
    rows.set(1, { id: 1, local: true, member_id: 'one' } as unknown as Device);
    assert.equal(placed(of, { ...run(1), ...bound })?.url, 'http://10.0.0.1:8091/live/4/8/');
    const cloud = { ...run(2), ...bound, deviceId: null, cloudAccountId: 6 };
    assert.deepEqual(of.place(cloud, 8), { address: 'https://cloud.example/live/4/8/' });
    assert.equal(of.addresses(cloud)[0]?.url, 'https://cloud.example/live/4/8/index.m3u8');
  });
});
