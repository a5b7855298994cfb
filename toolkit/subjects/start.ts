/** The shared parts of the workflows around a start: the place to run on, and the errors of a start that came to nothing. */
import type { Control, StartCheck, StartRequest, StartTarget } from '../../domain/ports/control.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import { AppError, invalidInput } from '../../domain/base/errors.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { knownPicture, knownSource, type KnownSource } from '../../domain/rules/sources/known-source.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import { ended } from '../../domain/base/sentence.ts';
import type { View } from '../../domain/ports/store.ts';
import { bareId, findRow, takeNamed, type Found } from '../input/resolve.ts';
import { count, joinSentences, say, sentence, type Sentence } from '../sentence.ts';
import { deviceField, groupField, idOrName, questionOf, takeId, type Reader, type Reference } from './reference.ts';
import { nameOrId } from './workflow.ts';

export const placeFields = {
  target: nameOrId.optional().describe('Device, Device group or Cloud account by name; left out: as configured.'),
  idEncoderGroup: groupField,
  deviceId: deviceField,
  cloudAccountId: idOrName.optional().describe('Or Cloud account id or name.'),
};

interface Place {
  target?: string | undefined;
  idEncoderGroup?: Reference | undefined;
  deviceId?: Reference | undefined;
  cloudAccountId?: Reference | undefined;
}

/** The place of a start. Throws AppError invalid_input when two places are named, not_found or conflict for a name. */
export async function resolvePlace(ctx: Reader, { target, ...fields }: Place): Promise<StartRequest> {
  const places = Object.values({ target, ...fields }).filter((place) => place !== undefined);
  if (places.length > 1) {
    const message = 'name one place only: target, deviceId, idEncoderGroup or cloudAccountId';
    throw invalidInput([{ field: 'target', code: 'ambiguous', message }]);
  }
  if (target !== undefined) return placeNamed(ctx, target);
  return {
    idEncoderGroup: await takeId(ctx, 'deviceGroups', fields.idEncoderGroup),
    deviceId: await takeId(ctx, 'devices', fields.deviceId),
    cloudAccountId: await takeCloud(ctx, fields.cloudAccountId),
  };
}

/** The Device of a look. Throws as findRow does. */
export function findDevice(ctx: Reader, device: string): Promise<Found<Readonly<Device>>> {
  return findRow(ctx, 'devices', questionOf(ctx, 'deviceId', 'Device', device));
}

async function takeCloud(ctx: Reader, account: Reference | undefined): Promise<number | undefined> {
  if (typeof account !== 'string') return account;
  const accounts = await cloudAccounts(ctx.store);
  const wanted = questionOf(ctx, 'cloudAccountId', 'Cloud account', account);
  return unnamedId(account, accounts) ?? takeNamed(accounts, wanted).id;
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
  if (unnamedId(target, places) !== undefined) return { deviceId: await takeId(ctx, 'devices', target, 'target') };
  const noun = 'place (deviceId, idEncoderGroup or cloudAccountId)';
  const { kind, id } = takeNamed(places, questionOf(ctx, 'target', noun, target));
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

/** The backup Channel, as far as it is known. */
export interface KnownBackup {
  name: string;
  source: KnownSource | null;
}

export function knownBackup(
  view: View,
  control: Parameters<typeof knownSource>[1],
  { backupChannelId }: Readonly<Livestream>,
): KnownBackup | undefined {
  const channel = backupChannelId === null ? undefined : view.get('channels', backupChannelId);
  return channel && { name: channel.name, source: knownSource(view, control, channel.id) };
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
    const { error, last_refusal: refusal } = ingest;
    const trouble = error === null ? '' : ` ${error}`;
    const refused = refusal === null ? '' : ` The last encoder was refused: ${ended(refusal.message)}`;
    const where = `point the encoder at ${ingest.url}.${trouble}${refused}`;
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
