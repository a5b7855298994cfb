/** Each part of an installation that can be wrong is told with a remedy and its beginning, and is well again by itself. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { ALARM_CHECKS, type Alarm, type AlarmCheck } from '../../domain/shapes/installation/finding.ts';
import { toIso } from '../../domain/time/clock.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { makeIssuer } from '../helpers/licences.ts';
import { until } from '../helpers/until.ts';

const DAY_MS = 86_400_000;
const issuer = makeIssuer();

let app: TestApp;
before(async () => void (app = await startTestApp({ licenceKey: issuer.publicPem })));
after(() => app.close());

const alarms = async (args: object = {}): Promise<Alarm[]> => (await app.rows('getSystemAlarms', args)) as never;
const of = async (check: AlarmCheck): Promise<Alarm[]> =>
  (await alarms({ all: true })).filter((alarm) => alarm.check === check);
const turns = (check: AlarmCheck, state: string): Promise<Alarm> =>
  until(`${check} ${state}`, async () => (await of(check)).find((alarm) => alarm.state === state));

it('each check is answered with all, and only what is wrong without: the worst first, with a remedy and since when', async () => {
  const all = await alarms({ all: true });
  assert.deepEqual([...new Set(all.map(({ check }) => check))].sort(), [...ALARM_CHECKS].sort());
  for (const { check, state, remedy, since } of all)
    assert.deepEqual([remedy === '', since === null], [state === 'ok', state === 'ok'], check);
  await app.data('addMailRule', { name: 'Night desk', recipients: ['desk@broadcaster.example'] });
  const wrong = await alarms();
  assert.ok(wrong.every(({ state }) => state !== 'ok'));
  const [first, ...others] = await alarms({ search: 'no mail server' });
  assert.deepEqual([first?.check, first?.state, others], ['mail', 'warning', []]);
  app.clock.advance(60_000);
  assert.equal((await of('mail'))[0]?.since, first?.since, 'what lasts keeps its beginning');
  const [rule] = await app.rows('getAllMailRules');
  await app.data('updateMailRule', { ruleId: rule?.['id'], enabled: false });
  assert.equal((await of('mail'))[0]?.state, 'ok');
});

it('a Device that is away, lacks a program, has a disk that takes nothing or another time is told by its name', async () => {
  app.device.reportStorage('recordings', 'readonly');
  const disk = await turns('storage', 'error');
  assert.match(disk.detail, /Device 1 "studio": The disk of its Recordings cannot be written to/u);
  app.device.reportStorage('recordings', 'mounted');
  await turns('storage', 'ok');

  // What was told once may have waited on its way.
  app.device.reportTime(90);
  assert.equal((await of('device_clocks'))[0]?.state, 'ok');
  app.device.reportTime(91);
  assert.match((await turns('device_clocks', 'warning')).detail, /Device 1 "studio" is 90 s ahead/u);
  app.device.reportTime(0);
  await turns('device_clocks', 'ok');

  const device = (await app.store.get('devices', app.deviceId))!.row;
  const put = (capabilities: object): Promise<void> =>
    app.store.tx((tx) => tx.put('devices', { ...device, capabilities: { ...device.capabilities!, ...capabilities } }));
  await put({ missing: [{ feature: 'video h264', needs: 'an ffmpeg with libx264' }] });
  assert.match((await of('programs'))[0]!.detail, /Device 1 "studio": ffmpeg .* lacks video h264/u);
  const ndi = { feature: 'Channel NDI', needs: 'the NDI runtime' };
  await put({ inputs: ['Stream'], missing: [ndi] });
  assert.equal((await of('features'))[0]?.state, 'ok', 'what nothing here uses is no alarm');
  const channel = await app.data('addChannel', {
    name: 'Foyer',
    type: 'NDI',
    settings: { source_name: 'X (Y)', discovery: 'typed' },
  });
  const [unable] = await of('features');
  assert.deepEqual([unable?.state, unable?.remedy], ['warning', 'It needs the NDI runtime.']);
  await app.data('updateChannel', { channelId: channel.id, enabled: false });
  assert.equal((await of('features'))[0]?.state, 'ok');
  await app.store.tx((tx) => tx.put('devices', device));

  app.device.goOffline();
  const away = await turns('devices', 'error');
  assert.match(away.detail, /^Device 1 "studio" does not answer\.$/u);
  await app.data('updateDevice', { deviceId: app.deviceId, enabled: false });
  assert.equal((await of('devices'))[0]?.detail, 'No Device is enabled.');
  await app.data('updateDevice', { deviceId: app.deviceId, enabled: true });
  app.device.goOnline();
  await turns('devices', 'ok');
});

it('a licence is told a month before its end and a month after, unless another one goes on with what it unlocks', async () => {
  const end = (days: number): string => toIso(app.clock.now() + days * DAY_MS);
  const install = async (licence_id: string, expires_at: string): Promise<unknown> =>
    app.data('installLicense', {
      license: await issuer.issue({ licence_id, features: ['videosite'], expires_at }),
    });
  const until40 = end(40);
  await install('A', until40);
  assert.equal((await of('licences'))[0]?.state, 'ok');
  app.clock.advance(11 * DAY_MS);
  assert.match((await of('licences'))[0]!.detail, /^Licence A ends on .*, in 29 days: videosite\.$/u);
  app.clock.advance(30 * DAY_MS);
  const [ended] = await of('licences');
  assert.deepEqual([ended?.state, ended?.since], ['error', until40]);
  await install('B', end(300));
  assert.equal((await of('licences'))[0]?.state, 'ok');
});

it('a key server that is used is an error once its validation has failed, and a folder a warning', async () => {
  const provider = await app.data('addDrmProvider', {
    name: 'Keys',
    provider_type: 'STATIC',
    credentials: { keys: [{ kid: 'a'.repeat(32), key: 'b'.repeat(32) }] },
  });
  assert.equal((await of('key_servers'))[0]?.state, 'ok', 'nothing uses it');
  const drm = { provider_id: provider.id, contentid: 'show', systems: ['Widevine'] };
  await app.data('addPublishing', { name: 'Encrypted', type: 'CMAF', settings: {}, drm });
  assert.match((await turns('key_servers', 'warning')).detail, /is in use and was never validated/u);
  const fail = async (collection: 'drmProviders' | 'remoteFolders', id: number): Promise<void> =>
    app.store.tx((tx) =>
      tx.put(collection, {
        ...tx.get(collection, id)!,
        validation_status: 'INVALID',
        validation_date: toIso(app.clock.now()),
        validation_error: 'it answers 503',
      } as never),
    );
  await fail('drmProviders', provider.id);
  assert.match((await turns('key_servers', 'error')).detail, /DRM provider 1 "Keys" .*: it answers 503/u);
  const folder = { name: 'Archive', protocol: 'WEBDAV', host: 'https://archive.example', folder: '/' };
  const { id } = await app.data('addRemoteFolder', folder);
  await fail('remoteFolders', id);
  assert.match((await turns('connections', 'warning')).detail, /Remote Folder 1 "Archive" has failed/u);
});
