/** A whole first broadcast in one commit: Asset, Channel, ladder, Destination, Live stream and the order to start. */
import { z } from 'zod/v3';
import type { Channel } from '../../domain/channel.ts';
import type { ResidentName } from '../../domain/collections.ts';
import type { ReceivedAsset } from '../../domain/control.ts';
import { AppError, invalidInput } from '../../domain/errors.ts';
import type { Resource } from '../../domain/resource.ts';
import { counted, uploadOf } from '../../domain/resources/asset.ts';
import { channelResource } from '../../domain/resources/channel.ts';
import { encodingGroupResource } from '../../domain/resources/encoding-group.ts';
import { encodingResource } from '../../domain/resources/encoding.ts';
import { livestreamResource } from '../../domain/resources/livestream.ts';
import { publishingResource } from '../../domain/resources/publishing.ts';
import type { SetUpRows } from '../../domain/set-up.ts';
import { nameOfAddress, sourceOf } from '../../domain/source-address.ts';
import type { Tx, View } from '../../domain/store.ts';
import { usualLadder, type Rung } from '../../domain/usual-ladder.ts';
import { insertRow } from '../crud.ts';
import { parseInput } from '../input/input.ts';
import type { ToolContext } from '../tool.ts';
import { chosenNames, insertAsset, keepFile } from './new-asset.ts';
import { answerOf, inStep, inStepNow, type SetUpAnswer } from './set-up-answer.ts';

export interface SetUpInput {
  name?: string | undefined;
  address?: string | undefined;
  filename?: string | undefined;
  content_base64?: string | undefined;
  deviceId?: number | undefined;
  dry_run: boolean;
}

type Names = Awaited<ReturnType<typeof chosenNames>>;

/** The request, read before anything is made. */
interface Wanted {
  name: string;
  channel: Pick<Channel, 'type' | 'settings'>;
  ladder: Rung[];
  deviceId: number | undefined;
  file: { received: ReceivedAsset; names: Names } | undefined;
}

const MAX_NAME = 100;
/** A first viewer waits for less than with the usual 6 s, and the keyframes fit. */
const SEGMENT_SECONDS = 2;

/** Makes everything and orders the start. With dry_run the commit is one that is taken back. Throws the AppError of the step that fails. */
export async function orderSetUp(ctx: ToolContext, input: SetUpInput): Promise<SetUpAnswer> {
  ctx.request.rights.assertMayCall(...operationsOf(ctx, input));
  const wanted = await wantedOf(ctx, input);
  const commit = (): Promise<SetUpAnswer> =>
    ctx.commit((tx, now) => {
      const { made, livestreamId } = makeRows(ctx, tx, now, wanted);
      inStepNow('start_livestream', () => orderStart(ctx, tx, now, livestreamId, made));
      return answerOf(ctx, tx, tx.get('livestreams', livestreamId)!, made, input.dry_run);
    });
  if (wanted.file === undefined) return commit();
  const { received, names } = wanted.file;
  if (input.dry_run) return commit().finally(() => received.discard());
  return inStep('uploadAsset', () => keepFile(ctx, received, names, commit));
}

/** The operations of which this set-up consists. */
function operationsOf({ request }: ToolContext, { content_base64: base64 }: SetUpInput): string[] {
  const rows = ['addChannel', 'addEncoding', 'addEncodingGroup', 'addPublishing', 'addLivestream', 'startLivestream'];
  return request.upload === undefined && base64 === undefined ? rows : ['uploadAsset', ...rows];
}

async function wantedOf(ctx: ToolContext, input: SetUpInput): Promise<Wanted> {
  const { address, filename, content_base64: base64, name, deviceId } = input;
  const { upload } = ctx.request;
  // The form of an upload names the file too.
  const sent = [address, upload ?? base64 ?? filename].filter((one) => one !== undefined);
  if (sent.length !== 1) {
    const message = `send one source: a file, the filename of an Asset, or an address; ${sent.length === 0 ? 'none' : 'several'} came`;
    throw invalidInput([{ field: 'address', code: 'one_of', message }]);
  }
  if (address !== undefined) {
    const channel = sourceOf(address);
    if ('problem' in channel) return inStepNow('addChannel', () => refuseAddress(channel.problem));
    return { name: name ?? nameOfAddress(address), channel, ladder: usualLadder(null), deviceId, file: undefined };
  }
  const file =
    upload === undefined && base64 === undefined ? undefined : await inStep('uploadAsset', () => receive(ctx, input));
  const stored = file?.names.filename ?? filename!;
  const { rows } = await ctx.store.find('assets', { where: { fileType: 'files', filename: stored }, limit: 1 });
  const asset = file?.received ?? rows[0];
  if (asset !== undefined && asset.height === null) {
    await file?.received.discard();
    return inStepNow(file === undefined ? 'addChannel' : 'uploadAsset', () => {
      throw new AppError('unsupported_media', `The file ${JSON.stringify(stored)} has no picture. Send a video.`);
    });
  }
  return {
    name: name ?? titleOf(stored),
    channel: { type: 'File', settings: { filename: stored } },
    ladder: usualLadder(asset?.height ?? null),
    deviceId,
    file,
  };
}

function refuseAddress(message: string): never {
  throw invalidInput([{ field: 'address', code: 'invalid_url', message }]);
}

async function receive(ctx: ToolContext, input: SetUpInput): Promise<NonNullable<Wanted['file']>> {
  const { filename, content } = uploadOf(input, ctx.request.upload);
  const names = await chosenNames(ctx, 'files', undefined, filename);
  const chunks = counted(content, ctx.request.progress);
  return { received: await ctx.control.assetFiles.receive('files', names.filename, chunks, ctx.signal), names };
}

function titleOf(filename: string): string {
  return shortened(filename.replace(/\.[^.]+$/u, ''), '');
}

function makeRows(
  ctx: ToolContext,
  tx: Tx,
  now: string,
  { name: wantedName, channel, ladder, deviceId, file }: Wanted,
): { made: SetUpRows; livestreamId: number } {
  const make = <C extends ResidentName>(resource: Resource<C>, fields: object): number =>
    insertRow(ctx, tx, now, resource, parseInput(z.object(resource.shape).strict(), fields) as object, { ...fields })
      .id;
  const name = freeName(tx, wantedName, ladder);
  const assetId =
    file === undefined ? null : inStepNow('uploadAsset', () => insertAsset(ctx, tx, now, file.received, file.names).id);
  const channelId = inStepNow('addChannel', () => make(channelResource, { name, ...channel }));
  const encodingIds = inStepNow('addEncoding', () =>
    ladder.map((rung) => make(encodingResource, { name: nameOfRung(name, rung), settings_video: rung })),
  );
  const encodingGroupId = inStepNow('addEncodingGroup', () =>
    make(encodingGroupResource, { name: shortened(name, LADDER), elements: encodingIds }),
  );
  const settings = { segment_duration: SEGMENT_SECONDS };
  const publishingId = inStepNow('addPublishing', () =>
    make(publishingResource, { name: shortened(name, WEB), type: 'HLS / TS', settings }),
  );
  const livestreamId = inStepNow('addLivestream', () => {
    const bound = { name, channelId, encodingGroupId, publishingId, deviceId: deviceId ?? null };
    const row = parseInput(z.object(livestreamResource.shape).strict(), bound) as object;
    return insertRow(ctx, tx, now, livestreamResource, { ...row, created_by: ctx.caller.username }, bound).id;
  });
  return { made: { assetId, channelId, encodingIds, encodingGroupId, publishingId }, livestreamId };
}

/** A machine with too few cores for the whole ladder starts with less of it. Throws AppError as a start does. */
function orderStart(ctx: ToolContext, tx: Tx, now: string, livestreamId: number, made: SetUpRows): void {
  const isTooMuch = (): boolean => {
    const { reasons } = ctx.control.checkStart(tx, livestreamId, {});
    return reasons.length > 0 && reasons.every(({ code }) => code === 'no_capacity');
  };
  while (made.encodingIds.length > 1 && isTooMuch()) {
    const [largest, ...elements] = made.encodingIds as [number, ...number[]];
    tx.put('encodingGroups', { ...tx.get('encodingGroups', made.encodingGroupId)!, elements });
    tx.delete('encodings', largest);
    made.encodingIds = elements;
  }
  ctx.control.orderStart(tx, now, livestreamId, {}, { username: ctx.caller.username });
  const changeId = ctx.request.changeId ?? null;
  tx.put('runs', { ...tx.get('runs', livestreamId)!, setUp: { changeId, made, isWhole: false } });
}

const LADDER = ' ladder';
const WEB = ' web';

function nameOfRung(name: string, { height }: Rung): string {
  return shortened(name, ` ${height}p`);
}

function shortened(name: string, suffix: string): string {
  const points = [...name.trim()];
  return `${points
    .slice(0, MAX_NAME - suffix.length)
    .join('')
    .trim()}${suffix}`;
}

/** The wanted name, with a number where any of the rows that get it would not be the first: `Sunday`, `Sunday 2`. */
function freeName(view: View, wanted: string, ladder: readonly Rung[]): string {
  const isTaken = (collection: ResidentName, name: string): boolean =>
    view.find(collection, { where: { name }, limit: 1 }).total > 0;
  for (let number = 1; ; number += 1) {
    const name = shortened(wanted, number === 1 ? '' : ` ${number}`);
    if (
      !isTaken('livestreams', name) &&
      !isTaken('channels', name) &&
      !isTaken('encodingGroups', shortened(name, LADDER)) &&
      !isTaken('publishings', shortened(name, WEB)) &&
      !ladder.some((rung) => isTaken('encodings', nameOfRung(name, rung)))
    )
      return name;
  }
}
