/** The shared parts of the workflows around a start: the place to run on, and the errors of a start that came to nothing. */
import { z } from 'zod/v3';
import type { Control, StartCheck, StartRequest, StartTarget } from '../../domain/control.ts';
import type { Device } from '../../domain/device.ts';
import { AppError, invalidInput } from '../../domain/errors.ts';
import type { Livestream } from '../../domain/livestream.ts';
import { knownPicture, type KnownSource } from '../../domain/rules/known-source.ts';
import type { Run } from '../../domain/run.ts';
import type { View } from '../../domain/store.ts';
import { bareId, findRow, takeNamed, takeRow, type Found, type Question } from '../input/resolve.ts';
import type { ToolContext } from '../tool.ts';
import { count, joinSentences, say, sentence, type Sentence } from '../sentence.ts';
import { nameOrId } from './workflow.ts';

/** An id as the operations take it, or a name as people say it. */
const idOrName = z.union([z.number().int().positive(), z.string().trim().min(1).max(100)]);

export const deviceField = idOrName.optional().describe('Or Device id or name.');
export const groupField = idOrName.optional().describe('Or Device group id or name.');
export const placeFields = {
  target: nameOrId.optional().describe('Device, Device group or Cloud account by name; left out: as configured.'),
  idEncoderGroup: groupField,
  deviceId: deviceField,
  cloudAccountId: idOrName.optional().describe('Or Cloud account id or name.'),
};
type Reference = z.infer<typeof idOrName> | undefined;

interface Place {
  target?: string | undefined;
  idEncoderGroup?: Reference;
  deviceId?: Reference;
  cloudAccountId?: Reference;
}
type Reader = Pick<ToolContext, 'store' | 'request'>;

/** The place of a start. Throws AppError invalid_input when two places are named, not_found or conflict for a name. */
export async function resolvePlace(ctx: Reader, { target, ...fields }: Place): Promise<StartRequest> {
  const places = Object.values({ target, ...fields }).filter((place) => place !== undefined);
  if (places.length > 1) {
    const message = 'name one place only: target, deviceId, idEncoderGroup or cloudAccountId';
    throw invalidInput([{ field: 'target', code: 'ambiguous', message }]);
  }
  if (target !== undefined) return placeNamed(ctx, target);
  return {
    idEncoderGroup: await takeGroup(ctx, fields.idEncoderGroup),
    deviceId: await takeDevice(ctx, fields.deviceId, 'deviceId'),
    cloudAccountId: await takeCloud(ctx, fields.cloudAccountId),
  };
}

/** An id goes on as it is, because its row is checked where the id is used. */
export async function takeGroup(ctx: Reader, group: Reference): Promise<number | undefined> {
  if (typeof group !== 'string') return group;
  return (await takeRow(ctx, 'deviceGroups', question(ctx, 'idEncoderGroup', 'Device group', group))).id;
}

async function takeDevice(ctx: Reader, device: Reference, field: string): Promise<number | undefined> {
  return typeof device === 'string'
    ? (await takeRow(ctx, 'devices', question(ctx, field, 'Device', device))).id
    : device;
}

/** The Device of a look. Throws as findRow does. */
export function findDevice(ctx: Reader, device: string): Promise<Found<Readonly<Device>>> {
  return findRow(ctx, 'devices', question(ctx, 'deviceId', 'Device', device));
}

async function takeCloud(ctx: Reader, account: Reference): Promise<number | undefined> {
  if (typeof account !== 'string') return account;
  const accounts = await cloudAccounts(ctx.store);
  const wanted = question(ctx, 'cloudAccountId', 'Cloud account', account);
  return unnamedId(account, accounts) ?? takeNamed(accounts, wanted).id;
}

function question({ request }: Reader, field: string, noun: string, wanted: string): Required<Question> {
  return { wanted, noun, from: { request, field } };
}

/** The id in a number that is no name of a place. */
function unnamedId(text: string, places: readonly { name: string }[]): number | undefined {
  return places.some(({ name }) => name === text.trim()) ? undefined : bareId(text);
}

const KINDS = { Device: 'deviceId', 'Device group': 'idEncoderGroup', 'Cloud account': 'cloudAccountId' } as const;

async function placeNamed(ctx: Reader, target: string): Promise<StartRequest> {
  const { store } = ctx;
  const devices = (await store.find('devices', {})).rows.map(({ id, name }) => ({ id, name, kind: 'Device' }) as const);
  const groups = (await store.find('deviceGroups', {})).rows.map(
    ({ id, name }) => ({ id, name, kind: 'Device group' }) as const,
  );
  const places = [...devices, ...groups, ...(await cloudAccounts(store))];
  if (unnamedId(target, places) !== undefined) return { deviceId: await takeDevice(ctx, target, 'target') };
  const noun = 'place (deviceId, idEncoderGroup or cloudAccountId)';
  const { kind, id } = takeNamed(places, question(ctx, 'target', noun, target));
  return { [KINDS[kind]]: id };
}

async function cloudAccounts(store: Reader['store']): Promise<{ id: number; name: string; kind: 'Cloud account' }[]> {
  const { rows } = await store.find('cloudAccounts', {});
  return rows.map(({ id, client }) => ({ id, name: client, kind: 'Cloud account' }));
}

const MAX_NAMES = 3;

/** The Destinations and the place of a start: `Web and CDN east, on Device studio`. */
export function sayPlan(
  view: View,
  control: Pick<Control, 'startTargets'>,
  livestreamId: number,
  { startConfig }: Pick<StartCheck, 'startConfig'>,
  request: StartRequest,
): Sentence {
  const outputs = startConfig
    .filter((entry) => entry.primary || entry.backup)
    .map(({ publishingId }) => {
      const publishing = view.get('publishings', publishingId);
      return publishing === undefined ? sentence`one that is gone` : say(publishing.name);
    });
  const { targets } = control.startTargets(view, livestreamId);
  const isRequested = ({ kind, id }: StartTarget): boolean => request[PLACES[kind]] === id;
  const place = targets.find(isRequested) ?? targets.find(({ recommended }) => recommended);
  const where = place === undefined ? '' : sentence`, on ${WORDS[place.kind]} ${say(place.name)}`;
  return sentence`${listOf(outputs)}${where}`;
}

const PLACES = { device: 'deviceId', device_group: 'idEncoderGroup', cloud: 'cloudAccountId' } as const;
const WORDS = { device: 'Device', device_group: 'Device group', cloud: 'cloud account' } as const;

function listOf(names: readonly Sentence[]): Sentence {
  const [last] = names.slice(-1);
  if (last === undefined) return sentence`no destination`;
  if (names.length === 1) return last;
  const isLong = names.length > MAX_NAMES;
  const first = joinSentences(names.slice(0, isLong ? MAX_NAMES : -1), ', ');
  return sentence`${first} and ${isLong ? `${names.length - MAX_NAMES} more` : last}`;
}

/** What is known of the backup Channel. */
export interface KnownBackup {
  name: string;
  source: KnownSource | null;
}

/** One more sentence with what is known of the source: ` The source sends 1920×1080 at 50 fps.`; nothing is said when nothing is known. */
export function saySource(
  { startWithoutSource }: Readonly<Livestream>,
  source: KnownSource | null,
  backup?: KnownBackup,
): string | Sentence {
  if (source === null) return '';
  const { ingest, probe } = source;
  if (isAwaited(ingest)) {
    const trouble = ingest.error === null ? '' : ` ${ingest.error}`;
    const where = `point the encoder at ${ingest.url}.${trouble}`;
    if (backup !== undefined && !isAwaited(backup.source?.ingest ?? null))
      return sentence` Nobody pushes to the source yet, so its backup ${say(backup.name)} would go on air: ${where}`;
    const then =
      startWithoutSource === 'fallback' ? 'viewers would see the fallback' : 'the start would fail after 25 s';
    const nor = backup === undefined ? '' : sentence`, nor to its backup ${say(backup.name)}`;
    return sentence` Nobody pushes to the source yet${nor}, so ${then}: ${where}`;
  }
  const picture = knownPicture(source);
  if (picture === null) return ingest === null ? '' : ' An encoder sends to the source.';
  const rate = picture.fps === null ? '' : ` at ${picture.fps} fps`;
  const verb = ingest === null ? 'sent' : 'sends';
  const [worst] = probe?.warnings ?? [];
  const warning = worst === undefined ? '' : ` ${worst.message} ${worst.remedy}`;
  return ` The source ${verb} ${picture.width}×${picture.height}${rate}.${warning}`;
}

function isAwaited(ingest: KnownSource['ingest']): ingest is NonNullable<KnownSource['ingest']> {
  return ingest !== null && ingest.state !== 'receiving';
}

/** Throws AppError when the awaited run has failed, or when somebody else has stopped it. */
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
