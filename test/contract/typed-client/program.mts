/** A program of somebody else's, written against the generated types: it sets a broadcast up, asks for it and takes it away again. */
import createClient from 'openapi-fetch';
import type { components, paths } from './api.mjs';

type Schemas = components['schemas'];
type Problem = Schemas['Problem'];
declare const process: {
  argv: string[];
  env: Record<string, string | undefined>;
  stdout: { write(text: string): void };
};

const [, , baseUrl = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${process.env['TOKEN']}` } });

/** Answers the content of an answer; a refusal ends the program, by what the compiler knows of it. */
function dataOf<T>({ data, error }: { data?: T; error?: Problem }): T {
  if (error !== undefined) throw new Error(`${error.status} ${error.code}: ${error.detail}`);
  if (data === undefined) throw new Error('an answer without a body');
  return data;
}

const channel: Schemas['Channel'] = dataOf(
  await client.POST('/channels', {
    params: { header: { 'Idempotency-Key': 'typed-client-1' } },
    body: { name: 'Studio', type: 'Stream', settings: { url: 'https://origin.example/index.m3u8' } },
  }),
).data;
const encoding = dataOf(await client.POST('/encodings', { body: { name: '720p' } })).data;
const { data: publishing } = dataOf(await client.POST('/publishings', { body: { name: 'Web', type: 'HLS / TS' } }));
const { data: livestream } = dataOf(
  await client.POST('/livestreams', {
    body: { name: 'Show', channelId: channel.id, encodingId: encoding.id, publishingId: publishing.id },
  }),
);

const path = { livestreamId: livestream.id };
const updated = dataOf(
  await client.PUT('/livestreams/{livestreamId}', { params: { path }, body: { description: 'Weekdays' } }),
).data;

const list = dataOf(
  await client.GET('/livestreams', { params: { query: { pageSize: 5, sort: '-id', includeChannel: true } } }),
);
const named: string[] = list.rows.map((row) => `${row.name} ${row.enabled} ${row.channel?.name ?? ''}`);

// Of rows with some of their fields, as the caller has asked for: `Pick` says which.
type Brief = Pick<Schemas['Channel'], 'id' | 'name'>;
const { rows } = dataOf(await client.GET('/channels', { params: { query: { fields: 'name' } } }));
const brief: Brief[] = rows;

const state = dataOf(await client.GET('/livestreams/{livestreamId}/status', { params: { path } })).data;
const schedule = dataOf(
  await client.POST('/schedules', {
    body: {
      name: 'Weekly',
      livestreamId: livestream.id,
      start: '2099-01-05T20:00:00Z',
      end: '2099-01-05T21:00:00Z',
      recurrence: { type: 'weekly', until: '2099-02-02T20:00:00Z' },
    },
  }),
).data;
const occurrences = dataOf(
  await client.GET('/schedules/occurrences', {
    params: { query: { scheduleId: schedule.id, from: '2099-01-01T00:00:00Z', to: '2099-02-01T00:00:00Z' } },
  }),
).rows.map(({ start }) => start);

const missing = await client.GET('/channels/{channelId}', { params: { path: { channelId: 999_999 } } });
const refused = await client.POST('/channels', { body: { name: '', type: 'Stream', settings: {} } });
const inUse = await client.DELETE('/channels/{channelId}', { params: { path: { channelId: channel.id } } });
const stranger = createClient<paths>({ baseUrl });
const unknown = await stranger.GET('/channels');
const refusals: (Problem['code'] | undefined)[] = [missing, refused, inUse, unknown].map(({ error }) => error?.code);
const fields = refused.error?.errors?.map(({ field }) => field);

const deleted: true[] = [
  dataOf(await client.DELETE('/schedules/{scheduleId}', { params: { path: { scheduleId: schedule.id } } })).data
    .deleted,
  dataOf(await client.DELETE('/livestreams/{livestreamId}', { params: { path } })).data.deleted,
  dataOf(await client.DELETE('/channels/{channelId}', { params: { path: { channelId: channel.id } } })).data.deleted,
];

const { name, alias } = channel;
const seen = { name, alias, fps: encoding.settings_video.fps, retries: publishing.retry.max_attempts };
const { description } = updated;
process.stdout.write(
  JSON.stringify({ seen, description, named, brief, status: state.status, occurrences, refusals, fields, deleted }),
);
