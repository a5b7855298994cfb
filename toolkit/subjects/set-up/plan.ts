/** The plan of a set-up: what its arguments stand for, read and checked before anything is made. */
import type { Channel } from '../../../domain/shapes/sources/channel.ts';
import type { ReceivedAsset } from '../../../domain/ports/control.ts';
import type { Encoding } from '../../../domain/shapes/encodings/encoding.ts';
import { AppError, invalidInput } from '../../../domain/base/errors.ts';
import type { LadderId } from '../../../domain/shapes/encodings/preset-ids.ts';
import type { RECURRENCE_TYPES } from '../../../domain/time/recurrence.ts';
import { counted, uploadOf } from '../../../domain/rules/media/asset.ts';
import { SET_UP_OPERATIONS, type SetUpOperation } from '../../../domain/shapes/broadcasts/set-up.ts';
import { nameOfAddress, sourceOf } from '../../../domain/shapes/sources/source-address.ts';
import { usualLadder } from '../../../domain/shapes/encodings/usual-ladder.ts';
import { getLadder } from '../../../presets/ladders.ts';
import type { ToolContext } from '../../tool.ts';
import { chosenNames } from '../new-asset.ts';
import { inStep, inStepNow } from './steps.ts';
import { takeId, takeReferred } from '../reference.ts';
import { destinationOf, isSingleRendition, type PlannedDestination, type TakenDestination } from './destination.ts';
import {
  takenDestination,
  takenGroup,
  takenLadder,
  type TakenGroup,
  type TakenInput,
  type TakenLadder,
} from './taken.ts';
import { ASSET_TYPES, typeOfIngest } from '../../../domain/types/channel-questions.ts';
import type { IngestWord } from '../../../domain/types/channel-types.ts';

export interface SetUpInput extends TakenInput {
  name?: string | undefined;
  address?: string | undefined;
  filename?: string | undefined;
  content_base64?: string | undefined;
  ingest?: IngestWord | undefined;
  quality?: LadderId | undefined;
  record: boolean;
  start_at?: string | undefined;
  end_at?: string | undefined;
  recurrence: (typeof RECURRENCE_TYPES)[number];
  timezone?: string | undefined;
  start?: boolean | undefined;
  dry_run: boolean;
}

export interface PlannedEncoding {
  name: string;
  settings_video: Partial<Encoding['settings_video']>;
  settings_audio?: Encoding['settings_audio'];
}

type Names = Awaited<ReturnType<typeof chosenNames>>;
type NewChannel = Pick<Channel, 'type' | 'settings'>;

export interface SetUpPlan {
  name: string;
  /** The name was given, and is that of the source otherwise. */
  isNamed: boolean;
  source: { channelId: number } | { ingest: NonNullable<SetUpInput['ingest']> } | NewChannel;
  /** Those that are made; none where a ladder is taken. */
  encodings: PlannedEncoding[];
  ladder: TakenLadder | undefined;
  /** False: somebody has chosen the ladder, and none of it is left out for want of room. */
  mayShrink: boolean;
  /** None where a group is taken. */
  destinations: (PlannedDestination | TakenDestination)[];
  group: TakenGroup | undefined;
  record: boolean;
  schedule: (Pick<SetUpInput, 'recurrence' | 'timezone'> & { start: string; end: string }) | undefined;
  start: boolean;
  deviceId: number | undefined;
  file: { received: ReceivedAsset; names: Names } | undefined;
}

/** The operations that the set-up consists of, in its order; the caller has to be allowed each of them. */
export function operationsOf(ctx: ToolContext, input: SetUpInput): SetUpOperation[] {
  const isUpload = ctx.request.upload !== undefined || input.content_base64 !== undefined;
  const { channelId, encodingId, encodingGroupId, publishingGroupId, record } = input;
  const isLadderMade = encodingId === undefined && encodingGroupId === undefined;
  const destinations = publishingGroupId === undefined ? (input.destinations ?? [input]) : [];
  const isWanted: Partial<Record<SetUpOperation, boolean>> = {
    uploadAsset: isUpload,
    addChannel: channelId === undefined,
    addEncoding: isLadderMade,
    addEncodingGroup: isLadderMade,
    addPublishing: record || destinations.some(({ publishingId }) => publishingId === undefined),
    addPublishingGroup: record || destinations.length > 1,
    addSchedule: input.start_at !== undefined,
    start_livestream: isStarted(input),
  };
  return SET_UP_OPERATIONS.filter((name) => isWanted[name] ?? true);
}

/** A broadcast with a time of its own is not started before it, unless somebody says so. */
export function isStarted({ start, start_at }: SetUpInput): boolean {
  return start ?? start_at === undefined;
}

/** Receives the file that was sent; whoever gets the plan keeps or discards it. Throws the AppError of the step that fails. */
export async function planOf(ctx: ToolContext, input: SetUpInput): Promise<SetUpPlan> {
  const { upload } = ctx.request;
  assertOneSource(input, upload !== undefined);
  const schedule = scheduleOf(input);
  const ladder = await takenLadder(ctx, input);
  const group = await takenGroup(ctx, input);
  const destinations = group === undefined ? await destinationsOf(ctx, input) : [];
  const deviceId = await inStep('start_livestream', () => takeId(ctx, 'devices', input.deviceId));
  const { name, source, height, file } = await sourceOfInput(ctx, input);
  const usual = usualLadder(height).map(({ height: lines, bitrate }): PlannedEncoding => ({
    name: `${lines}p`,
    settings_video: { height: lines, bitrate },
  }));
  const encodings = input.quality === undefined ? usual : getLadder(input.quality).encodings;
  const types = group?.types.map((type) => ({ type })) ?? destinations;
  return {
    name: input.name ?? name,
    isNamed: input.name !== undefined,
    source,
    encodings: ladder !== undefined ? [] : types.every(isSingleRendition) ? encodings.slice(0, 1) : [...encodings],
    ladder,
    mayShrink: input.quality === undefined,
    destinations,
    group,
    record: input.record,
    schedule,
    start: isStarted(input),
    deviceId,
    file,
  };
}

/** Throws AppError invalid_input, which names the Destination among several. */
async function destinationsOf(
  ctx: ToolContext,
  { destinations, template, url, stream_key, publishingId }: SetUpInput,
): Promise<SetUpPlan['destinations']> {
  const one = { template, url, stream_key, publishingId };
  if (destinations === undefined)
    return [(await takenDestination(ctx, one)) ?? inStepNow('addPublishing', () => destinationOf(one))];
  if (Object.values(one).some((value) => value !== undefined)) {
    const message = 'takes the place of template, url, stream_key and publishingId; send those inside it';
    throw invalidInput([{ field: 'destinations', code: 'one_of', message }]);
  }
  const planned: SetUpPlan['destinations'] = [];
  const suffixes = new Map<string, number>();
  for (const [at, each] of destinations.entries()) {
    const place = `destinations.${at}.`;
    const taken = await takenDestination(ctx, each, place);
    if (taken !== undefined) {
      if (planned.some((other) => 'publishingId' in other && other.publishingId === taken.publishingId))
        throw invalidInput([{ field: `${place}publishingId`, code: 'duplicate', message: 'is there twice' }]);
      planned.push(taken);
      continue;
    }
    const made = inStepNow('addPublishing', () => destinationOf(each), place);
    const count = (suffixes.get(made.suffix) ?? 0) + 1;
    suffixes.set(made.suffix, count);
    planned.push({ ...made, place, suffix: count === 1 ? made.suffix : `${made.suffix} ${count}` });
  }
  return planned;
}

function assertOneSource(
  { address, filename, content_base64: base64, channelId, ingest }: SetUpInput,
  hasUpload: boolean,
): void {
  // The form of an upload names the file too.
  const file = hasUpload ? 'upload' : (base64 ?? filename);
  const sent = [address, file, channelId, ingest].filter((one) => one !== undefined);
  if (sent.length === 1) return;
  const message = `send one source: a file, the filename of an Asset, an address, a channelId, or an ingest; ${sent.length === 0 ? 'none' : 'several'} came`;
  throw invalidInput([{ field: 'address', code: 'one_of', message }]);
}

function scheduleOf({ start_at, end_at, recurrence, timezone }: SetUpInput): SetUpPlan['schedule'] {
  if (start_at === undefined && end_at === undefined && recurrence === 'none') return undefined;
  if (start_at !== undefined && end_at !== undefined) return { start: start_at, end: end_at, recurrence, timezone };
  const field = start_at === undefined ? 'start_at' : 'end_at';
  const message = 'is needed for a broadcast by the clock; send start_at and end_at';
  throw invalidInput([{ field, code: 'required', message }]);
}

interface Source extends Pick<SetUpPlan, 'name' | 'source' | 'file'> {
  /** Lines of its picture; null where they are not known. */
  height: number | null;
}

async function sourceOfInput(ctx: ToolContext, input: SetUpInput): Promise<Source> {
  const { address, channelId, ingest } = input;
  if (address !== undefined) {
    const channel = sourceOf(address);
    if ('problem' in channel) return inStepNow('addChannel', () => refuseAddress(channel.problem));
    return { name: nameOfAddress(address), source: channel, height: null, file: undefined };
  }
  if (ingest !== undefined)
    return {
      name: typeOfIngest(ingest).pushed.setUp.name,
      source: { ingest },
      height: null,
      file: undefined,
    };
  if (channelId !== undefined)
    return inStep('addChannel', async () => sourceOfChannel(ctx, await takeReferred(ctx, 'channels', channelId)));
  return sourceOfFile(ctx, input);
}

function refuseAddress(message: string): never {
  throw invalidInput([{ field: 'address', code: 'invalid_url', message }]);
}

async function sourceOfChannel(ctx: ToolContext, { id, name, settings }: Readonly<Channel>): Promise<Source> {
  const { filename } = settings;
  const height = filename === undefined ? null : ((await assetNamed(ctx, filename))?.height ?? null);
  return { name, source: { channelId: id }, height, file: undefined };
}

async function sourceOfFile(ctx: ToolContext, input: SetUpInput): Promise<Source> {
  const isSent = ctx.request.upload !== undefined || input.content_base64 !== undefined;
  const file = isSent ? await inStep('uploadAsset', () => receive(ctx, input)) : undefined;
  const stored = file?.names.filename ?? input.filename!;
  const asset = file?.received ?? (await assetNamed(ctx, stored));
  if (asset !== undefined && asset.height === null) {
    await file?.received.discard();
    return inStepNow(file === undefined ? 'addChannel' : 'uploadAsset', () => {
      throw new AppError('unsupported_media', `The file ${JSON.stringify(stored)} has no picture. Send a video.`);
    });
  }
  const source: NewChannel = { type: ASSET_TYPES[0]!, settings: { filename: stored } };
  return { name: stored.replace(/\.[^.]+$/u, ''), source, height: asset?.height ?? null, file };
}

async function assetNamed(ctx: ToolContext, filename: string): Promise<{ height: number | null } | undefined> {
  return (await ctx.store.find('assets', { where: { fileType: 'files', filename }, limit: 1 })).rows[0];
}

async function receive(ctx: ToolContext, input: SetUpInput): Promise<NonNullable<SetUpPlan['file']>> {
  const { filename, content } = uploadOf(input, ctx.request.upload);
  const names = await chosenNames(ctx, 'files', undefined, filename);
  const chunks = counted(content, ctx.request.progress);
  return { received: await ctx.control.assetFiles.receive('files', names.filename, chunks, ctx.signal), names };
}
