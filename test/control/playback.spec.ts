/** The address that viewers are sent to: the public address for what this server's own machine delivers, a paired Device's own for the rest. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeviceRegistry, type KnownDevice } from '../../control/device-registry.ts';
import { Playback } from '../../control/playback.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { AppError } from '../../domain/base/errors.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { checkPlaybackToken } from '../../domain/shapes/destinations/playback.ts';
import type { Publishing } from '../../domain/shapes/destinations/publishing.ts';
import type { Run, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { FakeDevice } from '../helpers/fake-device.ts';

const KEY = Buffer.alloc(32, 5).toString('base64url');
const clock = new FakeClock();
const livestream = { id: 4, name: 'Show', deviceId: null } as unknown as Livestream;
const show = (type: string, access?: 'token'): Publishing =>
  ({ id: 9, name: 'Web', type, access, settings: { url: null } }) as unknown as Publishing;

function playback(publicUrl?: string): { of: Playback; run(deviceId: number): Run } {
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
  const watch = [
    { publishingId: 8, path: '/live/4/8/index.m3u8' },
    { publishingId: 9, path: '/live/4/9/manifest.mpd', access: 'token' as const },
  ];
  registry.keepReport({ runId: 'r', watch, publishings: [] } as unknown as RunReport);
  return {
    of: new Playback({ registry, deviceRows, publicUrl, keyOf: () => KEY, clock }),
    run: (deviceId) => ({ id: 4, runId: 'r', status: 2, deviceId }) as unknown as Run,
  };
}

const tokenOf = (url: string): string => new URL(url).searchParams.get('token') ?? '';

describe('addresses of viewers', () => {
  it('addresses of viewers are below the public URL, with its path, for the Device of this machine', () => {
    const { of, run } = playback('https://live.example/tv/');
    const [open, tokened] = of.addresses(run(1));
    assert.deepEqual([open?.url, open?.expires_at], ['https://live.example/tv/live/4/8/index.m3u8', null]);
    assert.match(tokened?.url ?? '', /^https:\/\/live\.example\/tv\/live\/4\/9\/manifest\.mpd\?token=/u);
    const expiresAtMs = Date.parse(tokened?.expires_at ?? '');
    assert.equal(expiresAtMs, Math.floor(clock.now() / 1000) * 1000 + 12 * 3_600_000);
    const check = (atMs: number): string => checkPlaybackToken(KEY, '/live/4/9/', tokenOf(tokened?.url ?? ''), atMs);
    assert.deepEqual([check(expiresAtMs - 1), check(expiresAtMs)], ['good', 'expired']);
    assert.deepEqual(of.addresses({ ...run(1), status: 1 }), [], 'off air there is nothing to watch');
  });

  it('addresses of viewers are the Device’s own without a public URL, and always for a Device on another machine', () => {
    assert.equal(playback().of.addresses(playback().run(1))[0]?.url, 'http://10.0.0.1:8091/live/4/8/index.m3u8');
    const { of, run } = playback('https://live.example');
    assert.equal(of.addresses(run(2))[0]?.url, 'http://10.0.0.2:8091/live/4/8/index.m3u8');
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
    assert.match(there.url, /^http:\/\/10\.0\.0\.2:8091\/live\/4\/9\/manifest\.mpd\?token=/u);
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
      code(() => of.link(gone, show('CMAF', 'token'), undefined, expires)),
      'wrong_state',
    );
    // As it is on air, whatever the row says since.
    assert.equal(
      code(() => of.link(livestream, show('DASH'), run(1), expires)),
      'answered',
    );
  });
});
