/** The plan of a set-up: what its arguments stand for, read and checked before anything is made. */
import type { Channel } from '../../domain/channel.ts';
import type { ReceivedAsset } from '../../domain/control.ts';
import type { Encoding } from '../../domain/encoding.ts';
import { AppError, invalidInput, notFound } from '../../domain/errors.ts';
import type { LadderId } from '../../domain/preset-ids.ts';
import type { RECURRENCE_TYPES } from '../../domain/recurrence.ts';
import { counted, uploadOf } from '../../domain/resources/asset.ts';
import { SET_UP_OPERATIONS, type SetUpOperation } from '../../domain/set-up.ts';
import { nameOfAddress, sourceOf } from '../../domain/source-address.ts';
import { usualLadder } from '../../domain/usual-ladder.ts';
import { getLadder } from '../../presets/ladders.ts';
import type { ToolContext } from '../tool.ts';
import { chosenNames } from './new-asset.ts';
import { inStep, inStepNow } from './set-up-answer.ts';
import {
  destinationOf,
  isSingleRendition,
  type PlannedDestination,
  type WantedDestination,
} from './set-up-destination.ts';

export interface SetUpInput extends WantedDestination {
  name?: string | undefined;
  address?: string | undefined;
  filename?: string | undefined;
  content_base64?: string | undefined;
  channelId?: number | undefined;
  ingest?: 'rtmp-push' | 'srt-listen' | undefined;
  destinations?: WantedDestination[] | undefined;
  quality?: LadderId | undefined;
  record: boolean;
  start_at?: string | undefined;
  end_at?: string | undefined;
  recurrence: (typeof RECURRENCE_TYPES)[number];
  timezone?: string | undefined;
  start?: boolean | undefined;
  deviceId?: number | undefined;
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
  encodings: PlannedEncoding[];
  /** False: somebody has chosen the ladder, and none of it is left out for want of room. */
  mayShrink: boolean;
  destinations: PlannedDestination[];
  record: boolean;
  schedule: (Pick<SetUpInput, 'recurrence' | 'timezone'> & { start: string; end: string }) | undefined;
  start: boolean;
  deviceId: number | undefined;
  file: { received: ReceivedAsset; names: Names } | undefined;
}

/** The operations that the set-up consists of, in its order; the caller has to be allowed each of them. */
export function operationsOf(ctx: ToolContext, input: SetUpInput): SetUpOperation[] {
  const isUpload = ctx.request.upload !== undefined || input.content_base64 !== undefined;
  const isWanted: Partial<Record<SetUpOperation, boolean>> = {
    uploadAsset: isUpload,
    addChannel: input.channelId === undefined,
    addPublishingGroup: input.record || (input.destinations?.length ?? 0) > 1,
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
  const destinations = destinationsOf(input);
  const { name, source, height, file } = await sourceOfInput(ctx, input);
  const usual = usualLadder(height).map(({ height: lines, bitrate }): PlannedEncoding => ({
    name: `${lines}p`,
    settings_video: { height: lines, bitrate },
  }));
  const ladder = input.quality === undefined ? usual : getLadder(input.quality).encodings;
  return {
    name: input.name ?? name,
    isNamed: input.name !== undefined,
    source,
    encodings: destinations.every(isSingleRendition) ? ladder.slice(0, 1) : [...ladder],
    mayShrink: input.quality === undefined,
    destinations,
    record: input.record,
    schedule,
    start: isStarted(input),
    deviceId: input.deviceId,
    file,
  };
}

/** Throws AppError invalid_input, which names the Destination among several. */
function destinationsOf({ destinations, template, url, stream_key }: SetUpInput): PlannedDestination[] {
  const one = { template, url, stream_key };
  if (destinations === undefined) return [inStepNow('addPublishing', () => destinationOf(one))];
  if (Object.values(one).some((value) => value !== undefined)) {
    const message = 'takes the place of template, url and stream_key; send those inside it';
    throw invalidInput([{ field: 'destinations', code: 'one_of', message }]);
  }
  const planned = destinations.map((each, at) =>
    inStepNow('addPublishing', () => destinationOf(each), `destinations.${at}.`),
  );
  const before = (at: number): number =>
    planned.slice(0, at).filter(({ suffix }) => suffix === planned[at]?.suffix).length;
  return planned.map((each, at) => ({
    ...each,
    place: `destinations.${at}.`,
    suffix: before(at) === 0 ? each.suffix : `${each.suffix} ${before(at) + 1}`,
  }));
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
      name: ingest === 'rtmp-push' ? 'RTMP push' : 'SRT listener',
      source: { ingest },
      height: null,
      file: undefined,
    };
  if (channelId !== undefined) return sourceOfChannel(ctx, channelId);
  return sourceOfFile(ctx, input);
}

function refuseAddress(message: string): never {
  throw invalidInput([{ field: 'address', code: 'invalid_url', message }]);
}

async function sourceOfChannel(ctx: ToolContext, channelId: number): Promise<Source> {
  const channel = (await ctx.store.get('channels', channelId))?.row;
  if (channel === undefined) throw notFound('Channel', channelId);
  const { filename } = channel.settings;
  const height = filename === undefined ? null : ((await assetNamed(ctx, filename))?.height ?? null);
  return { name: channel.name, source: { channelId }, height, file: undefined };
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
  const source: NewChannel = { type: 'File', settings: { filename: stored } };
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
