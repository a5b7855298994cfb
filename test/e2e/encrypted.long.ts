/** Encrypted on air, all of it real: the service, a key server, the encoder, and a browser that has the keys or has not. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { contentKeyId } from '../../domain/shapes/destinations/content-key-id.ts';
import { goOnAir, smallBroadcast, statusOf } from '../helpers/broadcast.ts';
import { encryptedViewer } from '../helpers/encrypted-viewer.ts';
import { filesNow } from '../helpers/files-now.ts';
import { startKeyServer, type KeyServer } from '../helpers/servers/key-server.ts';
import { processesOf, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const CANARY = 'canary-of-the-key-server';

/** A length of periods that is allowed, one of which begins in two to five minutes. */
function nextPeriod(): { minutes: number; index: number } {
  const now = Math.floor(Date.now() / 60_000);
  for (const at of [now + 3, now + 4, now + 5])
    for (let minutes = 15; minutes <= 1440; minutes += 1)
      if (at % minutes === 0) return { minutes, index: at / minutes };
  throw new Error('No period begins soon.');
}

describe('an encrypted Destination', () => {
  let service: Service;
  let keyServer: KeyServer;
  let livestreamId: number;
  let providerId: number;
  let publishingId: number;

  before(async () => {
    keyServer = await startKeyServer({ authorization: `Bearer ${CANARY}` });
    service = await startService();
    providerId = await service.create('/settings/integrations/drmproviders', {
      name: 'Vault',
      provider_type: 'SPEKE',
      speke_url: keyServer.url,
      credentials: { api_key: CANARY },
    });
    const drm = { provider_id: providerId, contentid: 'evening-show', systems: ['Widevine', 'Playready', 'Fairplay'] };
    const settings = { segment_duration: 2 };
    ({ livestreamId } = await smallBroadcast(service, [{ name: 'safe', type: 'CMAF', settings, drm }]));
    const { body } = await service.rest('GET', '/publishings?search=safe');
    publishingId = body.rows[0].id;
  });
  after(async () => {
    await service.dispose();
    await keyServer.close();
  });

  const folderOf = (name: string): string =>
    join(service.dataDir, 'device', 'live', String(livestreamId), String(publishingId), name);

  it('an encrypted Destination does not go on air without keys, and says whose they are', async () => {
    keyServer.fault = 'failure';
    await service.rest('POST', `/livestreams/${livestreamId}/start`, {});
    const { errorstatus } = await until('status 3', async () => {
      const now = await statusOf(service, livestreamId);
      return now.status === 3 && now;
    });
    assert.match(
      errorstatus!,
      /"safe" got no content keys from DRM provider \d+ "Vault": The key server .* failed \(HTTP 500\)/u,
    );
    assert.ok(!existsSync(folderOf('')), 'something was delivered');
    keyServer.fault = undefined;
  });

  it('an encrypted Destination plays with the key server’s keys, and not without', async (t) => {
    await goOnAir(service, livestreamId);
    await until('the encrypted manifest', () => existsSync(folderOf('manifest.mpd')));
    const kids = [...readFileSync(folderOf('manifest.mpd'), 'utf8').matchAll(/default_KID="([^"]+)"/gu)].map(
      ([, kid]) => kid!.replaceAll('-', ''),
    );
    assert.equal(new Set(kids).size, 2, 'a key for the pictures and one for the sound');
    const keys = Object.fromEntries(kids.map((kid) => [kid, keyServer.keyOf(kid).key]));
    const viewer = await encryptedViewer(t);
    const address = `${service.url}/live/${livestreamId}/${publishingId}`;
    for (const url of [`${address}/manifest.mpd`, `${address}/index.m3u8`]) {
      const screen = await viewer.watch(url, keys);
      const played = await until(`${url} plays`, async () => {
        const sight = await screen.look();
        assert.deepEqual(sight.errors, [], url);
        return sight.frames > 45 && sight;
      });
      assert.ok(played.currentTime > 1);
      await screen.close();
      const stranger = await viewer.watch(url, {});
      await until(`${url} is refused`, async () => {
        const { errors, frames } = await stranger.look();
        assert.equal(frames, 0);
        return errors.length > 0;
      });
      await stranger.close();
    }
  });

  it('an encrypted Destination keeps its keys to itself, through a restart of the control plane', async () => {
    const request = keyServer.requests.length;
    await service.kill('SIGKILL');
    await service.restart();
    await until('on air still', async () => (await statusOf(service, livestreamId)).status === 2);
    assert.equal(keyServer.requests.length, request, 'a running broadcast asks for no new keys');
    const [kid] = /default_KID="([^"]+)"/u.exec(readFileSync(folderOf('manifest.mpd'), 'utf8'))!.slice(1);
    const secrets = [keyServer.keyOf(kid!.replaceAll('-', '')).key, CANARY];
    const runs = join(service.dataDir, 'device', 'runs');
    const files = filesNow(runs);
    const spec = files.find(({ path }) => path.endsWith('spec.json'))!;
    assert.ok(spec.text.includes(secrets[0]!));
    assert.equal(spec.mode, 0o600);
    const { body: events } = await service.rest('GET', `/livestreams/${livestreamId}/events`);
    const { body: publishing } = await service.rest('GET', `/publishings/${publishingId}`);
    const { body: status } = await service.rest('GET', `/livestreams/${livestreamId}/status`);
    const logs = files.filter(({ path }) => /\.(?:log|jsonl)$/u.test(path)).map(({ text }) => text);
    const messages = [
      JSON.stringify([events, publishing, status]),
      ...logs,
      ...processesOf(service.scratch).map(({ command }) => command),
    ].join('\n');
    for (const secret of secrets) assert.ok(!messages.includes(secret), 'a secret is to be seen');
    await service.rest('POST', `/livestreams/${livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(service, livestreamId)).status === 0);
  });

  it('an encrypted Destination gets the keys of its next period from what was fetched ahead, and says that the key server is away', async (t) => {
    const { minutes, index } = nextPeriod();
    const changed = await service.rest('PUT', `/publishings/${publishingId}`, { drm: { rotation_minutes: minutes } });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    await goOnAir(service, livestreamId);
    const lengthMs = minutes * 60_000;
    const kidsOf = (period: number): string[] =>
      (['VIDEO', 'AUDIO'] as const).map((track) => contentKeyId('evening-show', track, { lengthMs, index: period }));
    const runs = join(service.dataDir, 'device', 'runs');
    await until('the next keys are at the Device', () => {
      const specs = filesNow(runs).filter(({ path }) => path.endsWith('spec.json'));
      return specs.some(({ text }) => text.includes(kidsOf(index)[0]!));
    });
    keyServer.fault = 'failure';
    const keys = Object.fromEntries([index - 1, index].flatMap(kidsOf).map((kid) => [kid, keyServer.keyOf(kid).key]));
    const viewer = await encryptedViewer(t);
    const screen = await viewer.watch(`${service.url}/live/${livestreamId}/${publishingId}/manifest.mpd`, keys);
    const eventsOf = async (kind: string): Promise<{ message: string }[]> =>
      (await service.rest('GET', `/livestreams/${livestreamId}/events?kind=${kind}&sort=-id`)).body.rows;
    await until('the keys are replaced', async () => (await eventsOf('keys_replaced')).length > 0, {
      everyMs: 1000,
      boundMs: 900_000,
    });
    const { currentTime } = await screen.look();
    await until('the viewer is behind it', async () => {
      const sight = await screen.look();
      assert.deepEqual(sight.errors, []);
      return sight.currentTime > currentTime + 20;
    });
    const manifest = readFileSync(folderOf('manifest.mpd'), 'utf8');
    for (const kid of kidsOf(index)) assert.ok(manifest.replaceAll('-', '').includes(kid), 'a new Period has its keys');
    const [missing] = await until('the failure is told', async () => {
      const events = await eventsOf('keys_missing');
      return events.length > 0 && events;
    });
    assert.match(missing!.message, /"safe" got no content keys from DRM provider \d+ "Vault": .* \(HTTP 500\)/u);
    keyServer.fault = undefined;
    await screen.close();
    await service.rest('POST', `/livestreams/${livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(service, livestreamId)).status === 0);
  });
});
