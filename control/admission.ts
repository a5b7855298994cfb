/** Whether a Live stream may start now, where, and if not, why. Pure over a view and what the Devices last told. */
import { ADMISSION_SHARE, costOf } from '../domain/capacity.ts';
import type { StartReason, StartRefusal, StartRequest } from '../domain/control.ts';
import type { Capabilities, Device } from '../domain/device.ts';
import { AppError, notFound, ruleViolated, type ErrorCode } from '../domain/errors.ts';
import type { Livestream, StartConfigEntry } from '../domain/livestream.ts';
import { hasBackupPath } from '../domain/publishing.ts';
import type { Run } from '../domain/run.ts';
import type { View } from '../domain/store.ts';
import { resolveBindings, type Bindings } from './bindings.ts';
import { renditionsOf } from './run-spec.ts';

export interface Placement {
  deviceId: number;
  cost: number;
  /** Lowest free input slot, from 1. */
  slot: number;
}

export interface Admission {
  livestream: Readonly<Livestream>;
  startConfig: StartConfigEntry[];
  boundPublishings: number[];
  boundEncodings: number[];
  reasons: StartReason[];
  /** Set when there is no reason against the start. */
  placement: Placement | undefined;
}

/** `isOnline` is what the control plane knows of its Devices; everything else comes from the view. */
export function admit(
  view: View,
  isOnline: (deviceId: number) => boolean,
  livestreamId: number,
  request: StartRequest,
): Admission {
  const livestream = view.get('livestreams', livestreamId);
  if (livestream === undefined) throw notFound('Live stream', livestreamId);
  const run = view.get('runs', livestreamId);
  const bindings = resolveBindings(view, livestream);
  const startConfig = startConfigOf(bindings, request.startConfig, run);
  const reasons: StartReason[] = [];
  if (run?.status === 1 || run?.status === 2) {
    reasons.push({
      code: 'already_running',
      message: `Live stream ${livestream.name} is ${run.status === 2 ? 'on air' : 'starting'} already.`,
    });
  }
  reasons.push(...bindingReasons(livestream, bindings, startConfig));
  const cost = costOf(renditionsOf(bindings.encodings, bindings.asset));
  const placed = place(view, isOnline, livestream, request, bindings, cost);
  if ('reason' in placed) reasons.push(placed.reason);
  return {
    livestream,
    startConfig,
    boundPublishings: bindings.publishings.map(({ id }) => id),
    boundEncodings: bindings.encodings.map(({ id }) => id),
    reasons,
    placement: reasons.length === 0 && 'placement' in placed ? placed.placement : undefined,
  };
}

const REFUSAL_CODES: Record<StartRefusal, ErrorCode> = {
  disabled: 'rule_violated',
  unbound: 'rule_violated',
  already_running: 'wrong_state',
  channel_missing: 'rule_violated',
  asset_missing: 'rule_violated',
  licence: 'forbidden',
  no_capacity: 'no_capacity',
  no_device: 'no_capacity',
  unsupported: 'unsupported_by_device',
};

/** The first reason decides the code; all of them are in the answer. */
export function refusal(reasons: readonly StartReason[]): AppError {
  const [first] = reasons;
  const code = first === undefined ? 'internal' : REFUSAL_CODES[first.code];
  return new AppError(code, reasons.map((reason) => reason.message).join(' '), { facts: { reasons } });
}

/** What the caller asks, else the last one with what was bound since switched on, else all on. */
function startConfigOf(
  { publishings, encodings }: Bindings,
  asked: StartConfigEntry[] | undefined,
  last: Readonly<Run> | undefined,
): StartConfigEntry[] {
  const bound = new Map(publishings.map((publishing) => [publishing.id, publishing]));
  if (asked !== undefined && asked.length > 0) {
    assertBound(
      [...bound.keys()],
      encodings.map(({ id }) => id),
      asked,
    );
    return asked.map((entry) => ({ ...entry, backup: entry.backup && hasBackupPath(bound.get(entry.publishingId)!) }));
  }
  const ladder = encodings.map(({ id }) => id);
  const kept = (last?.startConfig ?? [])
    .filter((entry) => bound.has(entry.publishingId))
    .map((entry) => withinLadder(entry, ladder));
  const before = kept.length > 0 ? (last?.boundPublishings ?? []) : [];
  const known = new Set([...before, ...kept.map((entry) => entry.publishingId)]);
  const added = publishings.filter(({ id }) => !known.has(id));
  return [
    ...kept,
    ...added.map((publishing) => ({
      publishingId: publishing.id,
      primary: publishing.primary_enabled,
      backup: publishing.backup_enabled && hasBackupPath(publishing),
    })),
  ];
}

/** Renditions that have left the ladder are forgotten; when none is left, all of the new ladder are delivered. */
function withinLadder({ qualities, ...entry }: StartConfigEntry, ladder: readonly number[]): StartConfigEntry {
  const left = qualities?.filter((id) => ladder.includes(id)) ?? [];
  return left.length > 0 ? { ...entry, qualities: left } : entry;
}

function assertBound(publishings: number[], ladder: number[], asked: readonly StartConfigEntry[]): void {
  asked.forEach((entry, index) => {
    const refuse = (field: string, what: string, allowed: number[]): never => {
      const at = `startConfig.${index}.${field}`;
      throw ruleViolated(
        `${at}: ${what} is not bound to this Live stream; bound are ${allowed.join(', ') || 'none'}.`,
        [{ field: at, code: 'not_bound', message: `${what} is not bound to this Live stream`, allowed }],
      );
    };
    if (!publishings.includes(entry.publishingId))
      refuse('publishingId', `Publishing ${entry.publishingId}`, publishings);
    const stranger = entry.qualities?.find((id) => !ladder.includes(id));
    if (stranger !== undefined) refuse('qualities', `Encoding ${stranger}`, ladder);
  });
}

function bindingReasons(
  livestream: Readonly<Livestream>,
  bindings: Bindings,
  startConfig: readonly StartConfigEntry[],
): StartReason[] {
  const reasons: StartReason[] = [];
  const { channel, asset } = bindings;
  if (!livestream.enabled)
    reasons.push({
      code: 'disabled',
      message: `Live stream ${livestream.name} is disabled; set enabled to true first.`,
    });
  if (channel === undefined)
    reasons.push({
      code: 'channel_missing',
      message: `Channel ${livestream.channelId} does not exist any more; bind another one.`,
    });
  if (channel?.type === 'File' && asset === undefined) {
    reasons.push({
      code: 'asset_missing',
      message: `The file ${channel.settings.filename} of Channel ${channel.name} is not in the bucket files; upload it with uploadAsset.`,
    });
  }
  if (bindings.encodings.length === 0)
    reasons.push({ code: 'unbound', message: 'No Encoding is bound; the Encoding group is empty.' });
  if (bindings.publishings.length === 0)
    reasons.push({ code: 'unbound', message: 'No Destination is bound; the Publishing group is empty.' });
  else if (!startConfig.some((entry) => entry.primary || entry.backup)) {
    reasons.push({
      code: 'unbound',
      message: 'Every Destination is switched off; switch a primary or backup path on in startConfig.',
    });
  }
  return reasons;
}

type Placed = { placement: Placement } | { reason: StartReason };

function place(
  view: View,
  isOnline: (deviceId: number) => boolean,
  livestream: Readonly<Livestream>,
  request: StartRequest,
  bindings: Bindings,
  cost: number,
): Placed {
  const pinned = request.deviceId ?? (request.idEncoderGroup == null ? livestream.deviceId : null);
  const group = request.idEncoderGroup ?? (pinned === null ? livestream.idEncoderGroup : null);
  if (pinned !== null && view.get('devices', pinned) === undefined) {
    return { reason: { code: 'no_device', message: `Device ${pinned} does not exist; see getAllDevices.` } };
  }
  if (group !== null) return { reason: { code: 'no_device', message: `Device group ${group} does not exist.` } };
  const wanted = view
    .find('devices', { where: { enabled: true } })
    .rows.filter((device) => pinned === null || device.id === pinned);
  const online = wanted.filter((device) => isOnline(device.id));
  if (online.length === 0) {
    return {
      reason: {
        code: 'no_device',
        message:
          pinned === null
            ? 'No Device is online and enabled; the command `onair device` starts the agent of this machine.'
            : `Device ${pinned} is not online and enabled.`,
      },
    };
  }
  const lacks = online.map((device) => lackOf(device.capabilities, bindings));
  const able = online.filter((_, index) => lacks[index] === undefined);
  if (able.length === 0)
    return { reason: { code: 'unsupported', message: lacks.find((lack) => lack !== undefined) ?? '' } };
  const free = able.map((device) => ({ device, cores: freeCores(view, device) })).sort((a, b) => b.cores - a.cores);
  const [best] = free;
  if (best === undefined || best.cores < cost) {
    const offers = free.map(({ device, cores }) => `Device ${device.id} has ${cores.toFixed(2)} free`).join(', ');
    return {
      reason: { code: 'no_capacity', message: `This Live stream needs about ${cost.toFixed(2)} cores; ${offers}.` },
    };
  }
  return { placement: { deviceId: best.device.id, cost, slot: freeSlot(view, best.device.id) } };
}

/** What the Device cannot do of what the Live stream asks, in words; undefined when nothing is missing. */
function lackOf(capabilities: Capabilities | null, { channel, encodings, publishings }: Bindings): string | undefined {
  if (capabilities === null) return 'The Device has not told what it can do yet; retry in a moment.';
  // Named as the Device's own list of what it lacks names them.
  const needs: [string, boolean][] = [
    ...(channel === undefined ? [] : [need(`Channel ${channel.type}`, capabilities.inputs, channel.type)]),
    ...publishings.map(({ type }) => need(`Publishing ${type}`, capabilities.outputs, type)),
    ...encodings.flatMap(({ settings_video: video, settings_audio: audio }) => [
      ...(video.active ? [need(`video ${video.codec}`, [...capabilities.video_encoders, 'copy'], video.codec)] : []),
      ...(audio.active ? [need(`audio ${audio.codec}`, [...capabilities.audio_encoders, 'copy'], audio.codec)] : []),
    ]),
  ];
  const lacking = [...new Set(needs.filter(([, able]) => !able).map(([feature]) => feature))];
  if (lacking.length === 0) return undefined;
  const remedies = capabilities.missing
    .filter(({ feature }) => lacking.includes(feature))
    .map(({ feature, needs: what }) => `${feature} needs ${what}`);
  return `The Device cannot do ${lacking.join(', ')}${remedies.length > 0 ? `: ${remedies.join('; ')}` : ''}.`;
}

function need(feature: string, able: readonly string[], wanted: string): [string, boolean] {
  return [feature, able.includes(wanted)];
}

/** Cores that may still be promised; reserved by starting and running Live streams alike. */
export function freeCores(view: Pick<View, 'find'>, device: Readonly<Device>): number {
  const { rows } = view.find('runs', { where: { deviceId: device.id, status: { in: [1, 2] } } });
  return device.cores * ADMISSION_SHARE - rows.reduce((sum, run) => sum + run.cost, 0);
}

function freeSlot(view: View, deviceId: number): number {
  const { rows } = view.find('runs', { where: { deviceId, status: { in: [1, 2] } } });
  const taken = new Set(rows.map((run) => run.slot));
  let slot = 1;
  while (taken.has(slot)) slot += 1;
  return slot;
}
