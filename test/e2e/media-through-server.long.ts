/** Media of a real broadcast on a second Device, watched through the server by somebody who is signed in. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { goOnAir, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { startRemoteDevice, type RemoteDevice } from '../helpers/remote-device.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const run = promisify(execFile);
const authorization = `Bearer ${TOKEN}`;
const TYPES = ['HLS / TS', 'CMAF', 'DASH'];

describe('media of a second Device through the server', () => {
  let service: Service;
  let remote: RemoteDevice;
  let show: SmallBroadcast;
  /** Destinations for callers with a token, by type. */
  const guests: Record<string, number> = {};

  before(async () => {
    [service, remote] = await Promise.all([startService(), startRemoteDevice()]);
    const extra = TYPES.map((type) => ({
      name: `guests ${type}`,
      type,
      access: 'token',
      settings: { segment_duration: 2 },
    }));
    show = await smallBroadcast(service, extra);
    const { body } = await service.rest('GET', '/publishings?search=guests');
    for (const { id, type } of body.rows as { id: number; type: string }[]) guests[type] = id;
    const place = { name: 'second', ip_address: remote.address, ...remote.credentials() };
    const deviceId = await service.create('/devices', place);
    await until('the second Device', async () => {
      const { data } = (await service.rest('GET', `/devices/${deviceId}`)).body;
      return data.online && data.capabilities !== null;
    });
    const idEncoderGroup = await service.create('/devices/groups', { name: 'Pool', devices: [deviceId] });
    await service.rest('PUT', `/livestreams/${show.livestreamId}`, { idEncoderGroup });
    await goOnAir(service, show.livestreamId);
  });
  after(async () => {
    await service?.dispose();
    await remote?.dispose();
  });

  const addressOf = (publishingId: number, file: string): string =>
    `${service.url}/svcapiv2/feed/live/${show.livestreamId}/${publishingId}/${file}`;
  const get = (url: string | URL, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, { headers: { authorization, ...headers } });
  const uris = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

  it('a playlist names its renditions and segments by relative addresses, without a token, and they have byte ranges', async () => {
    for (const publishingId of [show.publishingId, guests['HLS / TS']!]) {
      const master = addressOf(publishingId, 'index.m3u8');
      assert.equal((await fetch(master)).status, 401);
      const first = await until('the master playlist', async () => {
        const response = await get(master);
        return response.status === 200 && response.text();
      });
      assert.ok(!first.includes('token'), first);
      const variant = new URL(uris(first)[0]!, master);
      const playlist = await until('segments', async () => {
        const text = await (await get(variant)).text();
        return uris(text).length > 0 && text;
      });
      assert.ok(!playlist.includes('token'), playlist);
      const segment = new URL(uris(playlist).at(-1)!, variant);
      assert.equal(segment.search, '');
      const whole = await get(segment);
      const bytes = Buffer.from(await whole.arrayBuffer());
      assert.deepEqual([whole.headers.get('content-type'), bytes[0]], ['video/mp2t', 0x47]);
      const part = await get(segment, { range: 'bytes=188-375' });
      assert.equal(part.headers.get('content-range'), `bytes 188-375/${bytes.length}`);
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(188, 376));
      const etag = whole.headers.get('etag') ?? '';
      assert.equal((await get(segment, { 'if-none-match': etag })).status, 304);
      assert.equal((await get(addressOf(publishingId, 'gone.ts'))).status, 404);
    }
  });

  it('ffmpeg plays HLS / TS, CMAF and DASH of a Destination with tokens over several segments', async () => {
    for (const type of TYPES) {
      const url = addressOf(guests[type]!, type === 'DASH' ? 'manifest.mpd' : 'index.m3u8');
      await until(`${type}`, async () => (await get(url)).status === 200);
      const headers = ['-headers', `Authorization: ${authorization}\r\n`];
      const args = ['-nostdin', '-v', 'error', ...headers, '-i', url, '-t', '5', '-c', 'copy', '-f', 'null', '-'];
      const { stderr } = await run('ffmpeg', args);
      assert.doesNotMatch(stderr, /40\d|50\d/u, type);
    }
  });

  it('media of a Device that has gone is 502, and of a broadcast that is off 409', async () => {
    const url = addressOf(show.publishingId, 'index.m3u8');
    await remote.kill('SIGKILL');
    const gone = await get(url);
    assert.deepEqual([gone.status, ((await gone.json()) as { code: string }).code], [502, 'upstream_failed']);
    await remote.restart();
    await until('the media again', async () => (await get(url)).status === 200);
    await service.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    await until('the end', async () => (await get(url)).status === 409);
  });
});
