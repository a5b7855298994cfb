/** Tables of rules: a row says what is taken, or refused with which code and field. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { ErrorCode } from '../../domain/base/errors.ts';
import { makeClip } from '../helpers/service.ts';
import { PNG_BASE64 } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

export interface Ids {
  channel: number;
  h264: number;
  h264Too: number;
  av1: number;
  vp9: number;
  hevc: number;
  audio: number;
  ladder: number;
  av1Ladder: number;
  hls: number;
  rtmp: number;
  outputs: number;
  device: number;
  cloud: number;
  group: number;
}
export type Args = object | ((ids: Ids) => object);
/** Accepted values, and their stored form (a part of the answer). */
export type Taken = [rule: string, args: Args, stored?: object];
/** Fields are named with blanks between them; the code is invalid_input unless it is named. */
export type Refused = [rule: string, args: Args, fields: string, code?: ErrorCode];
export type Table = (operation: string, base: Args, taken: Taken[], refused: Refused[]) => void;

export const text = (length: number): string => 'x'.repeat(length);
/** An id that nothing has. */
export const missing = 9999;

/** Those that every resource with a name has. */
export const named: Refused[] = [
  ['no name', { name: undefined }, 'name'],
  ['an empty name', { name: '  ' }, 'name'],
  ['a name of 101 characters', { name: text(101) }, 'name'],
  ['a name with a line break', { name: 'a\nb' }, 'name'],
  ['a description of 256 characters', { description: text(256) }, 'description'],
  ['a field that it does not know', { colour: 'red' }, 'colour'],
  ['an id that the caller chose', { id: 7 }, 'id'],
];
export const bounds: Taken[] = [
  ['a name of 100 characters', { name: text(100) }, { name: text(100) }],
  ['a description of 255 characters', { description: text(255) }],
  ['no description', {}, { description: null }],
];

/** Makes the tests of a table inside a describe; `now` answers the app once they run. */
export function useRules(): { table: Table; now(): { app: TestApp; ids: Ids } } {
  let app: TestApp;
  let ids: Ids;
  let number = 0;
  before(async () => {
    app = await startTestApp();
    ids = await prepare(app);
  });
  after(() => app.close());

  const table: Table = (operation, base, taken, refused) => {
    const argsOf = (args: Args): object => {
      const [first, second] = [base, args].map((part) =>
        typeof part === 'function' ? (part as (known: Ids) => object)(ids) : part,
      );
      return { name: `${operation} ${(number += 1)}`, ...first, ...second };
    };
    for (const [rule, args, stored = {}] of taken) {
      it(`${operation} takes ${rule}`, async () => assertHolds(await app.data(operation, argsOf(args)), stored));
    }
    for (const [rule, args, fields, code = 'invalid_input'] of refused) {
      it(`${operation} refuses ${rule}`, async () => {
        const error = await app.refused(code, operation, argsOf(args));
        assert.equal(fieldsOf(error).join(' '), fields, error.message);
      });
    }
  };
  return { table, now: () => ({ app, ids }) };
}

/** Each field of `part` is in `whole` with that value; objects may have more. */
function assertHolds(whole: unknown, part: unknown, path = ''): void {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return assert.deepEqual(whole, part, path);
  for (const [name, value] of Object.entries(part)) {
    assertHolds((whole as Record<string, unknown>)[name], value, `${path}.${name}`);
  }
}

async function prepare(app: TestApp): Promise<Ids> {
  const add = async (operation: string, args: object): Promise<number> => (await app.data(operation, args)).id;
  await app.data('uploadAsset', { fileType: 'logos', filename: 'bug.png', content_base64: PNG_BASE64 });
  const clip = readFileSync(makeClip(join(app.dir, 'made.mp4'), 1));
  await app.data(
    'uploadAsset',
    { fileType: 'files' },
    { upload: { filename: 'film.mp4', content: new Blob([clip]).stream() } },
  );
  const encoding = (name: string, settings_video: object): Promise<number> =>
    add('addEncoding', { name, settings_video });
  const h264 = await encoding('h264', {});
  const h264Too = await encoding('h264 too', { height: 360 });
  const av1 = await encoding('av1', { codec: 'av1' });
  const hls = await add('addPublishing', { name: 'hls', type: 'HLS / TS' });
  const rtmp = await add('addPublishing', { name: 'rtmp', type: 'RTMP', settings: { url: 'rtmp://h/live' } });
  const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
  const unchecked = { validation_status: 'UNKNOWN', validation_date: null, validation_error: null } as const;
  const [cloud, group] = await app.store.tx((tx) => [
    tx.insert('cloudAccounts', {
      ...stamps,
      ...unchecked,
      client: 'c',
      client_id: '1',
      enabled: true,
      password: 'secret',
    }).id,
    tx.insert('deviceGroups', { ...stamps, name: 'pool', description: null, devices: [app.deviceId] }).id,
  ]);
  return {
    h264,
    h264Too,
    av1,
    hls,
    rtmp,
    cloud: cloud!,
    group: group!,
    device: app.deviceId,
    channel: await add('addChannel', { name: 'channel', type: 'Stream', settings: { url: 'http://h/a.m3u8' } }),
    vp9: await encoding('vp9', { codec: 'vp9' }),
    hevc: await encoding('hevc', { codec: 'hevc' }),
    audio: await encoding('audio', { active: false }),
    ladder: await add('addEncodingGroup', { name: 'ladder', elements: [h264, h264Too] }),
    av1Ladder: await add('addEncodingGroup', { name: 'av1 ladder', elements: [av1] }),
    outputs: await add('addPublishingGroup', { name: 'outputs', elements: [hls, rtmp] }),
  };
}
