/** The rows of a set-up, made step by step inside its one commit: a step that fails takes all before it back. */
import { z } from 'zod/v3';
import type { ResidentName } from '../../../domain/ports/collections.ts';
import { AppError } from '../../../domain/base/errors.ts';
import type { Resource } from '../../../domain/ports/resource.ts';
import { channelResource } from '../../../domain/rules/sources/channel.ts';
import { encodingGroupResource } from '../../../domain/rules/encodings/encoding-group.ts';
import { encodingResource } from '../../../domain/rules/encodings/encoding.ts';
import { livestreamResource } from '../../../domain/rules/broadcasts/livestream.ts';
import { publishingGroupResource } from '../../../domain/rules/destinations/publishing-group.ts';
import { publishingResource } from '../../../domain/rules/destinations/publishing.ts';
import { draftSchedule } from '../../../domain/rules/schedules/schedule.ts';
import { freeName as freeScheduleName } from '../../../domain/rules/schedules/schedule-name.ts';
import type { SetUpRows, TakenRows } from '../../../domain/shapes/broadcasts/set-up.ts';
import type { Tx, View } from '../../../domain/ports/store.ts';
import { insertRow } from '../../crud.ts';
import { parseInput } from '../../input/input.ts';
import type { ToolContext } from '../../tool.ts';
import { insertAsset } from '../new-asset.ts';
import { inStepNow } from './steps.ts';
import { RECORDED } from './destination.ts';
import type { SetUpPlan } from './plan.ts';
import { typeOfIngest } from '../../../domain/types/channel-questions.ts';
import type { ChannelSettings } from '../../../domain/types/channel-settings.ts';
import type { ChannelType } from '../../../domain/types/channel-types.ts';

const MAX_NAME = 100;
const LADDER = ' ladder';
const RECORD = ' record';
const OUTPUTS = ' outputs';
/** The usual port of SRT examples; the next ones are for more listeners. */
const FIRST_PORT = 9000;

interface Made {
  made: SetUpRows;
  livestreamId: number;
}

/** Throws the AppError of the step that fails. */
export function makeRows(ctx: ToolContext, tx: Tx, now: string, plan: SetUpPlan): Made {
  const make = <C extends ResidentName>(resource: Resource<C>, fields: object): number =>
    insertRow(ctx, tx, now, {
      resource,
      input: parseInput(z.object(resource.shape).strict(), fields) as object,
      sent: { ...fields },
    }).id;
  const { file, source, deviceId } = plan;
  if (plan.isNamed) inStepNow('addLivestream', () => assertNameFree(tx, plan.name, plan.start));
  const { name, partName } = namesOf(tx, plan);
  const assetId =
    file === undefined ? null : inStepNow('uploadAsset', () => insertAsset(ctx, tx, now, file.received, file.names).id);
  const channelId =
    'channelId' in source
      ? source.channelId
      : inStepNow('addChannel', () => make(channelResource, { name: partName, ...channelOf(tx, source, deviceId) }));
  const ladder = ladderOf(make, plan, partName);
  const outputs = outputsOf(make, tx, plan, partName);
  const livestreamId = inStepNow('addLivestream', () => {
    const { publishingId, publishingGroupId } = outputs;
    const output = publishingGroupId === undefined ? { publishingId } : { publishingGroupId };
    const { encodingId, encodingGroupId } = ladder;
    const encoding = encodingId === undefined ? { encodingGroupId } : { encodingId };
    // Nobody pushes yet while the address of the ingest is still to be told to the encoder.
    const early = 'ingest' in source ? { startWithoutSource: 'fallback' } : {};
    const bound = { name, channelId, ...encoding, ...output, deviceId: deviceId ?? null, ...early };
    const row = parseInput(z.object(livestreamResource.shape).strict(), bound) as object;
    return insertRow(ctx, tx, now, {
      resource: livestreamResource,
      input: { ...row, created_by: ctx.caller.username },
      sent: bound,
    }).id;
  });
  const schedule = inStepNow('addSchedule', () => scheduleOf(ctx, tx, now, plan, { id: livestreamId, name }));
  return { made: { assetId, channelId, ...ladder, ...outputs, ...schedule, taken: takenOf(plan) }, livestreamId };
}

function takenOf({ source, ladder, destinations, group }: SetUpPlan): TakenRows {
  return {
    channels: 'channelId' in source ? [source.channelId] : [],
    encodings: ladder !== undefined && 'encodingId' in ladder ? [ladder.encodingId] : [],
    encodingGroups: ladder !== undefined && 'encodingGroupId' in ladder ? [ladder.encodingGroupId] : [],
    publishings: destinations.flatMap((each) => ('publishingId' in each ? [each.publishingId] : [])),
    publishingGroups: group === undefined ? [] : [group.publishingGroupId],
  };
}

type Make = <C extends ResidentName>(resource: Resource<C>, fields: object) => number;

function ladderOf(
  make: Make,
  { encodings, ladder }: SetUpPlan,
  name: string,
): Pick<SetUpRows, 'encodingIds' | 'encodingGroupId' | 'encodingId'> {
  if (ladder !== undefined) return { encodingIds: [], encodingGroupId: null, ...ladder };
  const encodingIds = inStepNow('addEncoding', () =>
    encodings.map((encoding) => make(encodingResource, { ...encoding, name: shortened(name, ` ${encoding.name}`) })),
  );
  const encodingGroupId = inStepNow('addEncodingGroup', () =>
    make(encodingGroupResource, { name: shortened(name, LADDER), elements: encodingIds }),
  );
  return { encodingIds, encodingGroupId };
}

/** The Destinations, in a group where there are several. */
function outputsOf(
  make: Make,
  view: View,
  { destinations, group, record }: SetUpPlan,
  name: string,
): Pick<SetUpRows, 'publishingId' | 'publishingIds' | 'recordPublishingId' | 'publishingGroupId'> {
  const publishingIds = destinations.map((each) => {
    if ('publishingId' in each) return each.publishingId;
    const { suffix, place, ...publishing } = each;
    return inStepNow(
      'addPublishing',
      () => make(publishingResource, { ...publishing, name: shortened(name, suffix) }),
      place,
    );
  });
  const [publishingId = null] = publishingIds;
  if (group !== undefined && !record) return { publishingId, publishingGroupId: group.publishingGroupId };
  const members =
    group === undefined ? publishingIds : (view.get('publishingGroups', group.publishingGroupId)?.elements ?? []);
  const recordPublishingId = record
    ? inStepNow('addPublishing', () => make(publishingResource, { ...RECORDED, name: shortened(name, RECORD) }))
    : undefined;
  const elements = [...members, ...(recordPublishingId === undefined ? [] : [recordPublishingId])];
  if (elements.length === 1) return { publishingId };
  const publishingGroupId = inStepNow('addPublishingGroup', () =>
    make(publishingGroupResource, { name: shortened(name, OUTPUTS), elements }),
  );
  return {
    publishingId,
    ...(publishingIds.length > 1 && { publishingIds }),
    ...(recordPublishingId !== undefined && { recordPublishingId }),
    publishingGroupId,
  };
}

function channelOf(
  view: View,
  source: Exclude<SetUpPlan['source'], { channelId: number }>,
  deviceId: number | undefined,
): { type: ChannelType; settings: ChannelSettings; deviceId?: number } {
  if (!('ingest' in source)) return source;
  const place = deviceId === undefined ? {} : { deviceId };
  const { type, pushed } = typeOfIngest(source.ingest);
  const { settings } = pushed.setUp;
  if (!pushed.hasOwnPort) return { type, settings, ...place };
  const taken = new Set(view.find('channels', { where: { type } }).rows.map((row) => row.settings.port));
  let port = FIRST_PORT;
  while (taken.has(port)) port += 1;
  return { type, settings: { ...settings, port }, ...place };
}

function scheduleOf(
  ctx: ToolContext,
  tx: Tx,
  now: string,
  { schedule }: SetUpPlan,
  livestream: { id: number; name: string },
): Pick<SetUpRows, 'scheduleId'> {
  if (schedule === undefined) return {};
  const timezone = schedule.timezone ?? ctx.control.timezone;
  const { start, end } = schedule;
  const recurrence = { type: schedule.recurrence, interval: 1, until: null };
  const name = freeScheduleName(tx, livestream.name, { start, recurrence, timezone });
  const common = { description: null, livestreamId: livestream.id, idEncoderGroup: null, enabled: true };
  const by = { now, timezone, created_by: ctx.caller.username };
  const row = draftSchedule(tx, { name, ...common, start, end, recurrence, timezone }, by);
  return { scheduleId: tx.insert('schedules', row).id };
}

/**
 * The names of the Live stream and of the parts that are made for it. A name that was given is that of the Live stream as it is; all others
 * get a number where a row has them already: `Sunday`, `Sunday 2`.
 */
function namesOf(view: View, plan: SetUpPlan): { name: string; partName: string } {
  const isPartTaken = (name: string): boolean =>
    partsOf(plan).some(([collection, suffix]) => isTaken(view, collection, shortened(name, suffix)));
  if (plan.isNamed) return { name: plan.name, partName: firstFree(plan.name, isPartTaken) };
  const name = firstFree(plan.name, (each) => isTaken(view, 'livestreams', each) || isPartTaken(each));
  return { name, partName: name };
}

/** Throws AppError conflict where a Live stream has the name that was given. */
export function assertNameFree(view: View, name: string, isStarted: boolean): void {
  if (!isTaken(view, 'livestreams', name)) return;
  const corrected_call = { name: 'start_livestream', arguments: { livestream: name } };
  throw new AppError('conflict', `There is a Live stream ${JSON.stringify(name)} already.`, {
    remedy: isStarted ? 'Start that one, or choose another name.' : 'Use that one, or choose another name.',
    ...(isStarted && { facts: { corrected_call } }),
  });
}

function shortened(name: string, suffix: string): string {
  const points = [...name.trim()];
  return `${points
    .slice(0, MAX_NAME - suffix.length)
    .join('')
    .trim()}${suffix}`;
}

function firstFree(wanted: string, isRefused: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const name = shortened(wanted, number === 1 ? '' : ` ${number}`);
    if (!isRefused(name)) return name;
  }
}

function isTaken(view: View, collection: ResidentName, name: string): boolean {
  return view.find(collection, { where: { name }, limit: 1 }).total > 0;
}

/** The collections of the parts, with the ends of their names. */
function partsOf({ source, encodings, ladder, destinations, record }: SetUpPlan): [ResidentName, string][] {
  return [
    ...('channelId' in source ? [] : ([['channels', '']] as [ResidentName, string][])),
    ...(ladder === undefined ? ([['encodingGroups', LADDER]] as [ResidentName, string][]) : []),
    ...destinations.flatMap((each): [ResidentName, string][] =>
      'suffix' in each ? [['publishings', each.suffix]] : [],
    ),
    ...encodings.map(({ name }): [ResidentName, string] => ['encodings', ` ${name}`]),
    ...(record ? ([['publishings', RECORD]] as [ResidentName, string][]) : []),
    ...(record || destinations.length > 1 ? ([['publishingGroups', OUTPUTS]] as [ResidentName, string][]) : []),
  ];
}
