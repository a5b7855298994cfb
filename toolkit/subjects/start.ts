/** What the workflows around a start share: the place to run on, and the errors of a start that came to nothing. */
import { z } from 'zod/v3';
import type { Control, StartCheck, StartRequest, StartTarget } from '../../domain/control.ts';
import { AppError, invalidInput } from '../../domain/errors.ts';
import type { Livestream } from '../../domain/livestream.ts';
import type { Run } from '../../domain/run.ts';
import type { View } from '../../domain/store.ts';
import { bareId, matchName, resolveRow } from '../input/resolve.ts';
import type { ToolContext } from '../tool.ts';
import { count, joinSentences, say, sentence, type Sentence } from '../sentence.ts';
import { nameOrId } from './workflow.ts';

/** An id as the operations take it, or a name as a person says it. */
const idOrName = z.union([z.number().int().positive(), z.string().trim().min(1).max(100)]);

export const deviceField = idOrName.optional().describe('Or Device id or name.');
export const groupField = idOrName.optional().describe('Or Device group id or name.');
export const placeFields = {
  target: nameOrId.optional().describe('Device, Device group or Cloud account by name; left out: as configured.'),
  idEncoderGroup: groupField,
  deviceId: deviceField,
  cloudAccountId: idOrName.optional().describe('Or Cloud account id or name.'),
};
type Said = z.infer<typeof idOrName> | undefined;

interface Place {
  target?: string | undefined;
  idEncoderGroup?: Said;
  deviceId?: Said;
  cloudAccountId?: Said;
}
type Reader = Pick<ToolContext, 'store'>;

/** Throws AppError invalid_input when two places are named, not_found or conflict for a name. */
export async function resolvePlace(ctx: Reader, { target, ...named }: Place): Promise<StartRequest> {
  const given = Object.values({ target, ...named }).filter((place) => place !== undefined);
  if (given.length > 1) {
    const message = 'name one place only: target, deviceId, idEncoderGroup or cloudAccountId';
    throw invalidInput([{ field: 'target', code: 'ambiguous', message }]);
  }
  if (target !== undefined) return placeNamed(ctx, target);
  return {
    idEncoderGroup: await resolveGroup(ctx, named.idEncoderGroup),
    deviceId: await resolveDevice(ctx, named.deviceId),
    cloudAccountId: await resolveCloud(ctx, named.cloudAccountId),
  };
}

/** An id goes on as it is: what it refers to is checked where it is used. */
export async function resolveGroup({ store }: Reader, said: Said): Promise<number | undefined> {
  return typeof said === 'string' ? (await resolveRow(store, 'deviceGroups', 'Device group', said)).id : said;
}

export async function resolveDevice({ store }: Reader, said: Said): Promise<number | undefined> {
  return typeof said === 'string' ? (await resolveRow(store, 'devices', 'Device', said)).id : said;
}

async function resolveCloud({ store }: Reader, said: Said): Promise<number | undefined> {
  if (typeof said !== 'string') return said;
  const accounts = await cloudAccounts(store);
  return unnamedId(said, accounts) ?? matchName(said, accounts, 'Cloud account').id;
}

/** A number that nothing is called. */
function unnamedId(said: string, places: readonly { name: string }[]): number | undefined {
  return places.some(({ name }) => name === said.trim()) ? undefined : bareId(said);
}

const KINDS = { Device: 'deviceId', 'Device group': 'idEncoderGroup', 'Cloud account': 'cloudAccountId' } as const;

async function placeNamed({ store }: Reader, target: string): Promise<StartRequest> {
  const devices = (await store.find('devices', {})).rows.map(({ id, name }) => ({ id, name, kind: 'Device' }) as const);
  const groups = (await store.find('deviceGroups', {})).rows.map(
    ({ id, name }) => ({ id, name, kind: 'Device group' }) as const,
  );
  const places = [...devices, ...groups, ...(await cloudAccounts(store))];
  if (unnamedId(target, places) !== undefined) return { deviceId: await resolveDevice({ store }, target) };
  const { kind, id } = matchName(target, places, 'place (deviceId, idEncoderGroup or cloudAccountId)');
  return { [KINDS[kind]]: id };
}

async function cloudAccounts(store: Reader['store']): Promise<{ id: number; name: string; kind: 'Cloud account' }[]> {
  const { rows } = await store.find('cloudAccounts', {});
  return rows.map(({ id, client }) => ({ id, name: client, kind: 'Cloud account' }));
}

const LISTED = 3;

/** `Web and CDN east, on Device studio`: what a start would deliver to, and where it would run. */
export function sayPlan(
  view: View,
  control: Pick<Control, 'startTargets'>,
  livestreamId: number,
  { startConfig }: Pick<StartCheck, 'startConfig'>,
  request: StartRequest,
): Sentence {
  const outputs = startConfig
    .filter((entry) => entry.primary || entry.backup)
    .map(({ publishingId }) => say(view.get('publishings', publishingId)?.name ?? 'one that is gone'));
  const { targets } = control.startTargets(view, livestreamId);
  const isNamed = ({ kind, id }: StartTarget): boolean => request[PLACES[kind]] === id;
  const place = targets.find(isNamed) ?? targets.find(({ recommended }) => recommended);
  const where = place === undefined ? '' : sentence`, on ${WORDS[place.kind]} ${say(place.name)}`;
  return sentence`${listOf(outputs)}${where}`;
}

const PLACES = { device: 'deviceId', device_group: 'idEncoderGroup', cloud: 'cloudAccountId' } as const;
const WORDS = { device: 'Device', device_group: 'Device group', cloud: 'cloud account' } as const;

function listOf(names: readonly Sentence[]): Sentence {
  const [last] = names.slice(-1);
  if (last === undefined) return sentence`no destination`;
  if (names.length === 1) return last;
  const isLong = names.length > LISTED;
  const first = joinSentences(names.slice(0, isLong ? LISTED : -1), ', ');
  return sentence`${first} and ${isLong ? `${names.length - LISTED} more` : last}`;
}

/** Throws when the run that was awaited has failed, or was stopped by somebody else. */
export function assertStarted(
  { id, name }: Readonly<Livestream>,
  run: Readonly<Run> | undefined,
  seconds: number,
): void {
  const status = run?.status ?? 0;
  const facts = { livestreamId: id, livestream_status: status };
  if (status === 0) {
    const { text, names } =
      sentence`${say(name)} was stopped by another caller while it was starting. Start it again if it should be on air.`;
    throw new AppError('conflict', text, { facts, names });
  }
  if (status !== 3) return;
  const { text, names } = sentence`${say(name)} did not go on air: the start failed after ${count(seconds, 'second')}.`;
  const remedy = 'Mend that, then start it again.';
  throw new AppError('upstream_failed', text, {
    facts,
    names,
    remedy,
    ...(run?.errorstatus && { upstream: run.errorstatus }),
  });
}
