/** Claims about the generated types; this file is only compiled. An error that is expected and does not come is an error. */
import createClient from 'openapi-fetch';
import type { components, operations, paths } from './api.mjs';

type Schemas = components['schemas'];
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Keys that may be left out, of each member of a union. */
type Optional<T> = T extends unknown ? { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T] : never;
type RowOf<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { 'application/json': { rows: (infer Row)[] } } } };
}
  ? Row
  : never;
type Lists = { [Name in keyof operations]: [RowOf<Name>] extends [never] ? never : Name }[keyof operations];
/** Optional keys of the rows of each list. */
type OptionalInRows = { [Name in Lists]: Optional<RowOf<Name>> };
type SomeOptional = { [Name in Lists]: [OptionalInRows[Name]] extends [never] ? never : Name }[Lists];

export const claims: true[] = [
  // Rows have all their fields; what is embedded on request may be missing, of a preset what its kind does not have, and the occurrences of
  // a planned action that goes with no Schedule.
  true satisfies Same<
    SomeOptional,
    'getAllLivestreams' | 'getAllPlannedActions' | 'getLivestreamActions' | 'listPresets'
  >,
  true satisfies Same<OptionalInRows['getAllLivestreams'], 'channel' | 'destinations'>,
  // So have single resources, also where the body that made them left fields out.
  true satisfies Same<
    Optional<
      | Schemas['Channel']
      | Schemas['Device']
      | Schemas['Encoding']
      | Schemas['EncodingGroup']
      | Schemas['Livestream']
      | Schemas['Publishing']
      | Schemas['Recording']
      | Schemas['Schedule']
    >,
    never
  >,
  // Counts on request.
  true satisfies Same<Optional<Schemas['User']>, 'sessions' | 'tokens'>,
  true satisfies Same<Schemas['Channel']['alias'], string | null>,
  true satisfies Same<Schemas['Encoding']['settings_video']['fps'], number>,
  // Words of a closed list are those words.
  true satisfies Same<Schemas['Schedule']['recurrence']['type'], 'none' | 'daily' | 'weekly' | 'workdays' | 'weekend'>,
  true satisfies Same<string extends Schemas['Channel']['type'] ? true : false, false>,
  true satisfies Same<number extends Schemas['Livestream']['status'] ? true : false, false>,
  // An error has its code, one of those that there are, and the fields that are wrong.
  true satisfies Same<string extends Schemas['Problem']['code'] ? true : false, false>,
  true satisfies Same<Schemas['Problem']['detail'], string>,
  true satisfies Same<NonNullable<Schemas['Problem']['errors']>[number]['field'], string>,
];

const client = createClient<paths>();
const params = { path: { channelId: 7 } };
const type = 'Stream';
const settings = { url: 'https://origin.example/index.m3u8' };

/** Never called. */
export async function refusedByTheCompiler(): Promise<void> {
  // @ts-expect-error A body without a required field.
  await client.POST('/channels', { body: { type, settings } });
  // @ts-expect-error A field that the operation does not know.
  await client.POST('/channels', { body: { name: 'Studio', type, settings, nmae: 'x' } });
  // @ts-expect-error A kind that there is not.
  await client.POST('/channels', { body: { name: 'Studio', type: 'Carrier pigeon', settings } });
  // @ts-expect-error An id that is none.
  await client.GET('/channels/{channelId}', { params: { path: { channelId: 'seven' } } });
  // @ts-expect-error No id.
  await client.GET('/channels/{channelId}', {});
  // @ts-expect-error A filter that the list does not have.
  await client.GET('/channels', { params: { query: { colour: 'red' } } });
  // @ts-expect-error A path that there is not.
  await client.GET('/chanels', {});
  // @ts-expect-error A method that the path does not know.
  await client.PATCH('/channels/{channelId}', { params });
  const { data, error } = await client.GET('/channels/{channelId}', { params });
  // @ts-expect-error There may be no answer.
  data.data;
  // @ts-expect-error A code that there is not.
  if (error?.code === 'no_idea') return;
  // @ts-expect-error An answer has no such field.
  data?.data.nmae;
}
