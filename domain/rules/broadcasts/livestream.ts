import { z } from 'zod/v3';
import { audioTrackIssues } from '../../shapes/sources/audio-tracks.ts';
import { AppError, invalidInput, wrongState, type FieldIssue } from '../../base/errors.ts';
import {
  DEFAULT_PRIORITY,
  livestreamCreate,
  livestreamOutput,
  STATUS,
  type Livestream,
  type LivestreamView,
} from '../../shapes/broadcasts/livestream.ts';
import { hasTag, repeatedTags, tagField } from '../../base/tags.ts';
import { defineResource, type Lookup } from '../../ports/resource.ts';
import { reference } from '../../base/schema.ts';
import type { Condition, Store, View } from '../../ports/store.ts';
import { backupDeviceIssues } from './backup-device.ts';
import { lossIssues } from './device-loss.ts';
import { codecFitIssues } from '../encodings/codec-fit.ts';
import type { Alarms } from '../../shapes/broadcasts/sound.ts';
import { alarmsOf, withAlarms } from './alarms.ts';
import { clearOther, pairIssues } from './one-of-pair.ts';
import { switchIssues } from './command-rules.ts';
import { assertRules, assetIssues, referenceIssues } from '../rows/references.ts';
import { isEndedFailure } from './run-failure.ts';
import { scheduleUsers } from '../rows/resource-users.ts';
import { called, calledIn } from '../../base/sentence.ts';

export const STATE_NAMES = ['stopped', 'starting', 'running', 'failed'] as const;

const EDITABLE = [STATUS.stopped, STATUS.failed];

type Finder = Pick<Store, 'find'>;

const fieldFilters = {
  channelId: reference('Channel').optional(),
  enabled: z.boolean().optional().describe('Only those enabled, or not.'),
  deviceId: reference('Device').optional().describe('Only those pinned to this Device.'),
  idEncoderGroup: reference('Device group').optional().describe('Only those that run on this Device group.'),
  publishingId: reference('Publishing').optional(),
  publishingGroupId: reference('Publishing group').optional(),
  encodingId: reference('Encoding').optional(),
  encodingGroupId: reference('Encoding group').optional(),
};

export const livestreamResource = defineResource({
  collection: 'livestreams',
  noun: 'Live stream',
  idParam: 'livestreamId',
  shape: livestreamCreate,
  output: livestreamOutput,
  shortFields: ['id', 'name', 'status', 'errorstatus', 'enabled', 'channelId', 'started_at'],
  filters: { ...fieldFilters, tag: tagField.optional().describe('Only those with this tag.') },
  complete: (row, present, sent) => {
    const paired = clearOther(row, present, 'encodingId', 'encodingGroupId');
    const alarms = sent?.['alarms'] as Partial<Alarms> | undefined;
    return withAlarms(clearOther(paired, present, 'publishingId', 'publishingGroupId'), present, alarms);
  },
  check: (row, view) => {
    const repeated = repeatedTags(row.tags);
    if (repeated.length > 0) throw invalidInput(repeated);
    assertRules([
      ...pairIssues(row, 'encodingId', 'encodingGroupId'),
      ...pairIssues(row, 'publishingId', 'publishingGroupId'),
      ...placementIssues(row),
      ...lossIssues(row, view),
      ...bindingIssues(row, view),
      ...audioTrackIssues(row.audio),
      ...backupIssues(row, view),
      ...backupDeviceIssues(row, view),
      ...pictureIssues(row, view),
      ...codecFitIssues(view, row, row.publishingId === null ? 'publishingGroupId' : 'publishingId'),
    ]);
  },
  guard: (row, view) => {
    const run = view.get('runs', row.id);
    const status = run?.status ?? STATUS.stopped;
    if (status === STATUS.stopped || isEndedFailure(run)) return;
    const stateText = `${called('Live stream', row)} has status ${status} (${STATE_NAMES[status]})`;
    if (status === STATUS.failed)
      throw new AppError('wrong_state', `${stateText}, and its encoder is still being ended. Try again in a moment.`, {
        facts: { state: status, allowed: EDITABLE },
        retryAfterSeconds: 1,
      });
    const outputs =
      row.publishingGroupId === null ? '' : `updatePublishingGroup ${row.publishingGroupId} changes its Destinations, `;
    const ways = `On air ${outputs}runtimeApplySourceSwitch its source, updateLivestreamOptions its options`;
    const detail = `${stateText}; it can be changed or deleted in status 0 or 3 only. ${ways}; for all else stop it first with stopLivestream.`;
    throw wrongState(detail, status, EDITABLE);
  },
  users: (view, id) => scheduleUsers(view, 'livestreamId', id),
  related: (row) => [['runs', row.id], ...(row.encodingId === null ? [] : [['encodings', row.encodingId] as const])],
  present: presentLivestream,
});

/** Status, its reason and the last start configuration belong to the run; a Live stream without one was never started. */
function presentLivestream(row: Readonly<Livestream>, lookup: Lookup): LivestreamView {
  const run = lookup.get('runs', row.id);
  const encoding = row.encodingId === null ? undefined : lookup.get('encodings', row.encodingId);
  return {
    ...row,
    tags: row.tags ?? [],
    onDeviceLoss: row.onDeviceLoss ?? 'stay',
    backupDeviceId: row.backupDeviceId ?? null,
    alarms: alarmsOf(row),
    priority: row.priority ?? DEFAULT_PRIORITY,
    // Copied video is not decoded, so nothing of it is watched.
    detect: encoding?.settings_video.codec === 'copy' ? null : row.detect,
    status: run?.status ?? STATUS.stopped,
    errorstatus: run?.errorstatus ?? null,
    startConfig: run?.startedWith ?? run?.startConfig ?? [],
    started_at: run?.started_at ?? null,
  };
}

export const livestreamSearch = z.string().max(100).optional().describe('Substring of the name or of a tag.');

export const statusFilter = z
  .number()
  .int()
  .min(0)
  .max(3)
  .optional()
  .describe('0 stopped, 1 starting, 2 running (on air), 3 failed.');

/**
 * Turns filters of a list into conditions of the store. The status is in another collection and tags are in no index, so both become a
 * condition on `id`.
 */
export async function livestreamWhere(
  store: Finder,
  filters: Record<string, unknown>,
): Promise<Record<string, Condition | undefined>> {
  const where = Object.fromEntries(
    Object.keys(fieldFilters).map((name) => [name, filters[name] as Condition | undefined]),
  );
  const byStatus = await statusCondition(store, filters['status']);
  const { tag } = filters;
  return { ...where, id: typeof tag === 'string' ? await tagCondition(store, tag, byStatus) : byStatus };
}

async function tagCondition(store: Finder, tag: string, id: Condition | undefined): Promise<Condition> {
  const { rows } = await store.find('livestreams', { where: { id } });
  return { in: rows.filter(({ tags }) => hasTag(tags, tag)).map((row) => row.id) };
}

async function statusCondition(store: Finder, status: unknown): Promise<Condition | undefined> {
  if (status === undefined) return undefined;
  const condition =
    status === STATUS.stopped ? { in: [STATUS.starting, STATUS.running, STATUS.failed] } : (status as number);
  const { rows } = await store.find('runs', { where: { status: condition } });
  const ids = rows.map((run) => run.id);
  return status === STATUS.stopped ? { notIn: ids } : { in: ids };
}

function placementIssues({ deviceId, idEncoderGroup }: Livestream): FieldIssue[] {
  if (deviceId === null || idEncoderGroup === null) return [];
  return [
    {
      field: 'idEncoderGroup',
      code: 'exclusive',
      message: 'a Live stream runs on a Device group or is pinned to a Device, not both; send one as null',
    },
  ];
}

function bindingIssues(row: Livestream, view: View): FieldIssue[] {
  return [
    ...referenceIssues(view, 'channels', 'Channel', 'channelId', row.channelId),
    ...referenceIssues(view, 'encodings', 'Encoding', 'encodingId', row.encodingId),
    ...referenceIssues(view, 'encodingGroups', 'Encoding group', 'encodingGroupId', row.encodingGroupId),
    ...referenceIssues(view, 'publishings', 'Publishing', 'publishingId', row.publishingId),
    ...referenceIssues(view, 'publishingGroups', 'Publishing group', 'publishingGroupId', row.publishingGroupId),
    ...referenceIssues(view, 'devices', 'Device', 'deviceId', row.deviceId),
    ...referenceIssues(view, 'devices', 'Device', 'backupDeviceId', row.backupDeviceId),
    ...referenceIssues(view, 'deviceGroups', 'Device group', 'idEncoderGroup', row.idEncoderGroup),
  ];
}

/** A backup is live from elsewhere, as a Channel is that can be switched to. */
function backupIssues({ channelId, backupChannelId }: Livestream, view: View): FieldIssue[] {
  if (backupChannelId === null) return [];
  if (backupChannelId !== channelId) return switchIssues(view, { channelId: backupChannelId }, 'backupChannelId');
  const message = `${calledIn(view, 'Channel', channelId)} is the source already; name another one, or null for no backup`;
  return [{ field: 'backupChannelId', code: 'duplicate', message }];
}

export function pictureIssues({ logo, fallback, crop }: Livestream, view: View): FieldIssue[] {
  const issues = [
    ...assetIssues(view, 'logos', 'logo.filename', logo?.filename),
    ...assetIssues(view, 'files', 'fallback.filename', fallback.filename),
  ];
  if (fallback.mode === 'file' && !fallback.filename) {
    issues.push({
      field: 'fallback.filename',
      code: 'required',
      message: 'is required with fallback.mode file: the name of an Asset in the bucket files',
    });
  }
  if (crop !== null && (crop.left + crop.right >= 100 || crop.top + crop.bottom >= 100)) {
    issues.push({
      field: 'crop',
      code: 'empty',
      message: 'cuts away the whole picture; left + right and top + bottom must stay below 100 per cent',
    });
  }
  return issues;
}
