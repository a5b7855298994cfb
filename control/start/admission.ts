/** Decides whether a Live stream may start now and where, and otherwise why not. It is pure over a view and the presence of Devices. */
import { workOf } from '../../domain/shapes/encodings/capacity.ts';
import { channelIssues } from '../../domain/shapes/sources/channel.ts';
import type { StartReason, StartRefusal, StartRequest } from '../../domain/ports/control.ts';
import { drmIssues } from '../../domain/shapes/destinations/drm.ts';
import { AppError, LICENCE_REMEDY, notFound, type ErrorCode } from '../../domain/base/errors.ts';
import { isLost } from '../../domain/rules/devices/device-presence.ts';
import { movesOnLoss } from '../../domain/rules/broadcasts/device-loss.ts';
import { deliveredElsewhere } from '../../domain/rules/destinations/destination-use.ts';
import { licenceReasons } from '../../domain/rules/installation/licence-limits.ts';
import type { Livestream, StartConfigEntry } from '../../domain/shapes/broadcasts/livestream.ts';
import { deliveryIssues, hasBackupPath, type Publishing } from '../../domain/shapes/destinations/publishing.ts';
import { placeReferenceIssues, startConfigIssues } from '../../domain/rules/broadcasts/command-rules.ts';
import { assertRules } from '../../domain/rules/rows/references.ts';
import { refusalOfRenditions } from '../../domain/rules/encodings/rendition-rules.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import { writesRecording } from '../../domain/rules/devices/device-storage.ts';
import { called } from '../../domain/base/sentence.ts';
import type { View } from '../../domain/ports/store.ts';
import { newEntry, resolveBindings, sourceSize, type Bindings } from './bindings.ts';
import { codecRefusal, keyRefusal } from './content-keys.ts';
import { place, type Placement } from './placement.ts';
import { renditionsOf } from './run-spec.ts';
import { isPushed, playsAsset } from '../../domain/types/channel-questions.ts';

export interface Admission {
  livestream: Readonly<Livestream>;
  startConfig: StartConfigEntry[];
  boundPublishings: number[];
  boundEncodings: number[];
  reasons: StartReason[];
  /** Those of the reasons that would be in the way on every Device. */
  ownReasons: StartReason[];
  /** A Destination that is switched on writes a Recording. */
  isRecorded: boolean;
  /** Set when there is no reason against the start. */
  placement: Placement | undefined;
  /** Remedy for a refused place, where the general one of its code would mislead. */
  remedy: string | undefined;
  /** A Device of it was heard of lately: the same call may go through in a moment. */
  isSoon: boolean;
}

/**
 * Throws AppError not_found, or rule_violated for rows that the request names. `isOnline` is the control plane's knowledge of its Devices;
 * everything else comes from the view.
 */
export function admit(
  view: View,
  isOnline: (deviceId: number) => boolean,
  livestreamId: number,
  request: StartRequest & { mayUseReserve?: boolean },
  now: string,
): Admission {
  const livestream = view.get('livestreams', livestreamId);
  if (livestream === undefined) throw notFound('Live stream', livestreamId);
  const { mayUseReserve } = request;
  const run = view.get('runs', livestreamId);
  assertRules(placeReferenceIssues(view, request));
  const bindings = resolveBindings(view, livestream);
  const startConfig = startConfigOf(view, bindings, request.startConfig, run);
  const reasons: StartReason[] = [];
  // A person may start anew what a Device that is lost has taken along.
  if ((run?.status === 1 || run?.status === 2) && !isLost(view, run, now)) {
    reasons.push({
      code: 'already_running',
      message: `Live stream "${livestream.name}" is ${run.status === 2 ? 'on air' : 'starting'} already.`,
    });
  }
  reasons.push(...bindingReasons(view, livestream, bindings, startConfig));
  const taken = deliveredElsewhere(view, livestreamId, startConfig);
  if (taken !== undefined) reasons.push({ code: 'destination_in_use', message: taken });
  reasons.push(...licenceReasons(view, now, { livestreamId, channelType: bindings.channel?.type, startConfig }));
  const renditions = renditionsOf(bindings.encodings, bindings.asset);
  const unable = renditions.length === 0 ? undefined : refusalOfRenditions(renditions, livestream.audio?.length);
  if (unable !== undefined) reasons.push({ code: 'unsupported', message: unable });
  const work = workOf(renditions, sourceSize(view, bindings));
  const isRecorded = writesRecording(bindings.publishings, startConfig);
  const isLeased = movesOnLoss(livestream);
  const wanted = { bindings, work, isRecorded, isLeased };
  const placed = place(view, isOnline, { livestream, request, ...wanted, now, mayUseReserve });
  const ownReasons = [...reasons];
  if ('reason' in placed) reasons.push(placed.reason);
  return {
    livestream,
    startConfig,
    boundPublishings: bindings.publishings.map(({ id }) => id),
    boundEncodings: bindings.encodings.map(({ id }) => id),
    reasons,
    ownReasons,
    isRecorded,
    placement: reasons.length === 0 && 'placement' in placed ? placed.placement : undefined,
    remedy: 'reason' in placed ? placed.remedy : undefined,
    isSoon: 'reason' in placed && placed.isSoon === true,
  };
}

const REFUSAL_CODES: Record<StartRefusal, ErrorCode> = {
  disabled: 'rule_violated',
  unbound: 'rule_violated',
  already_running: 'wrong_state',
  channel_missing: 'rule_violated',
  asset_missing: 'rule_violated',
  destination_in_use: 'in_use',
  licence: 'forbidden',
  no_capacity: 'no_capacity',
  no_device: 'no_capacity',
  wrong_device: 'rule_violated',
  unsupported: 'unsupported_by_device',
};

/** Remedies by reason, where the general one of the code would mislead. */
const REMEDIES: { [R in StartRefusal]?: string } = {
  licence: LICENCE_REMEDY,
  destination_in_use: 'Stop the other Live stream, or start this one without that Destination.',
  wrong_device: 'Start it without naming a place, name the Device that listens, or give the Channel another deviceId.',
  no_device: 'Connect or enable a Device that may run it, or name another one.',
};

/** A Device that changes its server is with the next one by then. */
const RETRY_SECONDS = 2;

/** The first reason decides the code and the remedy; the answer has all of them. */
export function refusal({
  reasons,
  remedy: placeRemedy,
  isSoon,
}: Pick<Admission, 'reasons' | 'remedy' | 'isSoon'>): AppError {
  const [first] = reasons;
  const code = first === undefined ? 'internal' : REFUSAL_CODES[first.code];
  const remedy = first?.code === 'no_capacity' ? placeRemedy : first && REMEDIES[first.code];
  const detail = reasons.map((reason) => reason.message).join(' ');
  return new AppError(code, detail, {
    facts: { reasons },
    ...(remedy !== undefined && { remedy }),
    ...(first?.code === 'no_device' && isSoon && { retryAfterSeconds: RETRY_SECONDS }),
  });
}

/** Answers the requested configuration, else the last one with newly bound Destinations switched on, else all switched on. */
function startConfigOf(
  view: View,
  { publishings, encodings }: Bindings,
  requestEntries: StartConfigEntry[] | undefined,
  last: Readonly<Run> | undefined,
): StartConfigEntry[] {
  const bound = new Map(publishings.map((publishing) => [publishing.id, publishing]));
  if (requestEntries !== undefined && requestEntries.length > 0) {
    const ladder = encodings.map(({ id }) => id);
    assertRules(startConfigIssues(view, publishings, ladder, requestEntries));
    return requestEntries;
  }
  const ladder = encodings.map(({ id }) => id);
  const lastEntries = (last?.startedWith ?? last?.startConfig ?? [])
    .filter((entry) => bound.has(entry.publishingId))
    .map((entry) => withinLadder(entry, ladder))
    .map((entry) => ({ ...entry, backup: entry.backup && hasBackupPath(bound.get(entry.publishingId)!) }));
  const before = lastEntries.length > 0 ? (last?.boundPublishings ?? []) : [];
  const knownIds = new Set([...before, ...lastEntries.map((entry) => entry.publishingId)]);
  const added = publishings.filter(({ id }) => !knownIds.has(id));
  return [...lastEntries, ...added.map(newEntry)];
}

/** Renditions that have left the ladder are dropped; when none is left, the whole new ladder is delivered. */
function withinLadder({ qualities, ...entry }: StartConfigEntry, ladder: readonly number[]): StartConfigEntry {
  const left = qualities?.filter((id) => ladder.includes(id)) ?? [];
  return left.length > 0 ? { ...entry, qualities: left } : entry;
}

function bindingReasons(
  view: View,
  livestream: Readonly<Livestream>,
  bindings: Bindings,
  startConfig: readonly StartConfigEntry[],
): StartReason[] {
  const reasons: StartReason[] = [];
  const { channel, asset } = bindings;
  if (!livestream.enabled)
    reasons.push({
      code: 'disabled',
      message: `Live stream "${livestream.name}" is disabled; set enabled to true first.`,
    });
  if (channel === undefined)
    reasons.push({
      code: 'channel_missing',
      message: `Channel ${livestream.channelId} does not exist any more; bind another one.`,
    });
  const { backup } = bindings;
  for (const each of [channel, backup]) {
    if (each !== undefined && isPushed(each) && each.deviceId === null) {
      const message = `No Device listens for ${called('Channel', each)}; name one as deviceId with updateChannel.`;
      reasons.push({ code: 'unsupported', message });
    }
    if (each?.enabled === false)
      reasons.push({
        code: 'disabled',
        message: `${called('Channel', each)} is disabled; enable it with updateChannel first.`,
      });
  }
  const [unfit] = channel === undefined ? [] : channelIssues(channel);
  if (unfit !== undefined) {
    const message = `${called('Channel', channel!)} cannot be taken in: ${unfit.field} ${unfit.message}. Correct it with updateChannel.`;
    reasons.push({ code: 'unsupported', message });
  }
  if (channel !== undefined && playsAsset(channel) && asset === undefined) {
    reasons.push({
      code: 'asset_missing',
      message: `The file ${channel.settings.filename} of Channel "${channel.name}" is not in the bucket files; upload it with uploadAsset.`,
    });
  }
  if (bindings.encodings.length === 0)
    reasons.push({ code: 'unbound', message: 'No Encoding is bound; the Encoding group is empty.' });
  if (bindings.publishings.length === 0)
    reasons.push({ code: 'unbound', message: 'No Destination is bound; the Publishing group is empty.' });
  else if (!startConfig.some((entry) => entry.primary || entry.backup)) {
    const shown = bindings.publishings.slice(0, 3).map(({ id }) => ({ publishingId: id, primary: true }));
    const how = `switch one on with startLivestream and startConfig ${JSON.stringify(shown)}`;
    reasons.push({ code: 'unbound', message: `Every Destination is switched off; ${how}.` });
  }
  // This holds for every path, because one that is off now can be switched on while the stream runs.
  for (const publishing of bindings.publishings) {
    const message =
      deliveryRefusal(publishing) ?? keyRefusal(view, publishing) ?? codecRefusal(publishing, bindings.encodings);
    if (message !== undefined) reasons.push({ code: 'unsupported', message });
  }
  return reasons;
}

/** A row of an earlier version may hold a setting that is refused by now. */
function deliveryRefusal(publishing: Readonly<Publishing>): string | undefined {
  const drm = publishing.drm?.active === true ? drmIssues(publishing) : [];
  const [issue] = [...deliveryIssues(publishing), ...drm];
  if (issue === undefined) return undefined;
  return `Destination "${publishing.name}" cannot be delivered: ${issue.field} ${issue.message}. Correct it with updatePublishing.`;
}
