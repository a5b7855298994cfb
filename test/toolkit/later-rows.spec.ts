/** Rows that a server of a later version has stored, with fields and words that this one does not know: they are read, changed and kept. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { RESIDENT_NAMES, type ResidentName } from '../../domain/ports/collections.ts';
import { assertInstallation } from '../../domain/rules/installation/import-rules.ts';
import { openStore } from '../../store/open.ts';
import { operations } from '../../tools/index.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { silentLog } from '../helpers/silent-log.ts';

const LATER = 'of_tomorrow';
/** Each row by itself, by its id; one that has none asks a service outside, or needs something on air. */
const SINGLE: Readonly<Record<string, readonly [param: string, collection: ResidentName]>> = {
  getLivestreamById: ['livestreamId', 'livestreams'],
  getLivestreamEnriched: ['livestreamId', 'livestreams'],
  getLivestreamStartConfig: ['livestreamId', 'livestreams'],
  getLivestreamStatus: ['livestreamId', 'livestreams'],
  getLivestreamEvents: ['livestreamId', 'livestreams'],
  getChannelById: ['channelId', 'channels'],
  getEncodingById: ['encodingId', 'encodings'],
  getPublishingById: ['publishingId', 'publishings'],
  getScheduleById: ['scheduleId', 'schedules'],
  listScheduleSkips: ['scheduleId', 'schedules'],
  getPlannedAction: ['actionId', 'plannedActions'],
  getDeviceById: ['deviceId', 'devices'],
  getUserById: ['userId', 'users'],
  getUserProfile: ['userId', 'users'],
  getDrmProviderById: ['providerId', 'drmProviders'],
  getCloudAccountById: ['accountId', 'cloudAccounts'],
  getRemoteFolderById: ['folderId', 'remoteFolders'],
  getTargetFolderById: ['folderId', 'targetFolders'],
};
const CHANGES: Readonly<Record<string, readonly [param: string, collection: ResidentName, where?: object]>> = {
  updateLivestream: ['livestreamId', 'livestreams'],
  updateChannel: ['channelId', 'channels'],
  updateEncoding: ['encodingId', 'encodings'],
  updateEncodingGroup: ['groupId', 'encodingGroups'],
  updatePublishing: ['publishingId', 'publishings', { type: 'HLS / TS' }],
  updatePublishingGroup: ['groupId', 'publishingGroups'],
  updateSchedule: ['scheduleId', 'schedules'],
  updateDevice: ['deviceId', 'devices'],
  updateDeviceGroup: ['groupId', 'deviceGroups'],
  updateUserGroup: ['groupId', 'userGroups'],
  updateDrmProvider: ['providerId', 'drmProviders'],
  updateRemoteFolder: ['folderId', 'remoteFolders'],
  updateTargetFolder: ['folderId', 'targetFolders'],
};

/** Each object in it has a field more; the payload of an action is answered as it was planned. */
function later<T>(value: T): T {
  if (Array.isArray(value)) return value.map(later) as T;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    name === 'payload' ? field : later(field as unknown),
  ]);
  return { ...Object.fromEntries(fields), [LATER]: { is: 'new' } } as T;
}

describe('rows of a later version', () => {
  let app: TestApp;
  const warned: string[] = [];

  before(async () => {
    const clock = new FakeClock();
    const store = await openStore({ kind: 'memory', clock });
    const exported = await readFile(new URL('../store/fixtures/export-1.json', import.meta.url), 'utf8');
    await store.importDocument(() => [exported], assertInstallation);
    app = await startTestApp({ clock, store, log: { ...silentLog, warn: (_facts, text) => warned.push(text) } });
    await app.data('addWall', { name: 'Wall' });
    await app.data('addMailRule', { name: 'Rule', conditions: ['black'], recipients: ['a@example.org'] });
    await store.tx((tx) => {
      for (const name of RESIDENT_NAMES) for (const row of tx.find(name, {}).rows) tx.put(name, later(row) as never);
      const at = new Date(clock.now()).toISOString();
      const event = { at, livestreamId: 1, severity: 'info', message: 'A fault of tomorrow.', data: {}, [LATER]: 1 };
      tx.insert('events', { ...event, kind: LATER } as never);
      tx.insert('events', { ...event, kind: 'started' } as never);
    });
  });
  after(() => app?.close());

  const idIn = async (collection: ResidentName, where = {}): Promise<number> =>
    (await app.store.find(collection, { where, limit: 1 })).rows[0]!.id;
  /** The reasons against a start may name a setting of the Channel that nobody here takes in. */
  const isKnown = (body: unknown): boolean =>
    !JSON.stringify(body, (name, value: unknown) => (name === 'reasons' ? [] : value)).includes(LATER);

  for (const tool of operations) {
    const needed = Object.entries(tool.input.shape).filter(([, field]) => !field.isOptional());
    if (tool.effect !== 'read' || needed.length > 0) continue;
    if (/^(?:getTranscription(?:Account|Collections|Templates)|downloadSystemInfo)$/u.test(tool.name)) continue;
    it(`${tool.name} answers them without what it does not know`, async () => {
      const args = 'fields' in tool.input.shape ? { fields: '*' } : {};
      const { body } = await app.call(tool.name, args);
      assert.ok(isKnown(body));
    });
  }

  for (const [name, [param, collection]] of Object.entries(SINGLE))
    it(`${name} answers one without what it does not know`, async () => {
      const { body } = await app.call(name, { [param]: await idIn(collection) });
      assert.ok(isKnown(body));
    });

  it('an event of a kind that is not known is left out of a list, the others are in it', async () => {
    const rows = await app.rows('getAllEvents', { fields: '*' });
    assert.ok(rows.some(({ kind }) => kind === 'started'));
  });

  for (const [name, [param, collection, where]] of Object.entries(CHANGES))
    it(`${name} changes one and keeps what it does not know`, async () => {
      const id = await idIn(collection, where);
      const before = JSON.stringify((await app.store.get(collection, id))!.row).split(LATER).length;
      const changed = collection === 'remoteFolders' ? { user: 'other' } : { name: `changed-${collection}` };
      const { body } = await app.call(name, { [param]: id, ...changed });
      assert.ok(isKnown(body));
      const { row } = (await app.store.get(collection, id))!;
      assert.equal(JSON.stringify(row).split(LATER).length, before);
    });

  it('the log says that something was left out', () => {
    assert.ok(warned.some((text) => text.includes('a later one may share the store')));
  });
});
