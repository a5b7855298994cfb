/** Plans the switch of a broadcast to another Channel while it is on air. */
import type { Channel } from '../../domain/shapes/sources/channel.ts';
import { AppError, unlicensed, type FieldIssue } from '../../domain/base/errors.ts';
import { unlicensedSource } from '../../domain/rules/installation/licence-limits.ts';
import { switchIssues } from '../../domain/rules/broadcasts/command-rules.ts';
import { elsewhereIssues } from '../../domain/rules/sources/listening.ts';
import { assertRules } from '../../domain/rules/rows/references.ts';
import { called, calledIn } from '../../domain/base/sentence.ts';
import { assertNeeds, type OnAir } from './on-air.ts';
import { sourceSpec } from '../start/in-force.ts';
import { missingCapabilities } from '../start/missing-capabilities.ts';
import { inForceStep, withChannel, withFiles, type Plan } from './change-steps.ts';

export function planSwitch(onAir: OnAir, { channelId }: { channelId: number }): Plan {
  const { view, inForce, files, livestream, run } = onAir;
  assertRules(channelId === shownChannel(onAir) ? onAirIssues(onAir, channelId) : switchIssues(view, { channelId }));
  assertRules(elsewhereIssues(view, channelId, run.deviceId, 'channelId'));
  const channel = view.get('channels', channelId)!;
  assertEnabled(channel);
  assertNeeds(onAir, 'source');
  assertLicensed(onAir, channel);
  assertCapable(onAir, channel);
  // What plays an Asset cannot be switched to (switchIssues), so none is needed here.
  const change = { type: 'source', source: sourceSpec(channel, undefined, files) } as const;
  const step = withFiles(inForceStep(change, inForce, { channelId }), [{ use: 'source', asset: undefined }]);
  // A run with a backup goes back to either of both by itself.
  const others = livestream.backupChannelId === null ? [] : [livestream.channelId, livestream.backupChannelId];
  return { steps: [withChannel(step, channelId, others)], notes: [] };
}

/** A failover changes what viewers see without an order. */
function shownChannel({ report, inForce }: OnAir): number {
  return report?.runtime.source ?? inForce.channelId;
}

function onAirIssues({ view }: OnAir, channelId: number): FieldIssue[] {
  const message = `${calledIn(view, 'Channel', channelId)} is on air already`;
  return [{ field: 'channelId', code: 'on_air', message }];
}

/** Throws AppError rule_violated for a source that is not taken in. */
function assertEnabled(channel: Readonly<Channel>): void {
  if (channel.enabled) return;
  const message = `${called('Channel', channel)} is disabled; enable it with updateChannel first`;
  assertRules([{ field: 'channelId', code: 'disabled', message }]);
}

function assertLicensed({ view, now }: OnAir, { type, name }: Readonly<Channel>): void {
  const message = unlicensedSource(view, now, { called: `Channel "${name}"`, type });
  if (message !== undefined) throw unlicensed(message, { reasons: [{ code: 'licence', message }] });
}

/** Throws AppError unsupported_by_device that names the missing capability of the run's Device. */
function assertCapable({ view, run }: OnAir, channel: Readonly<Channel>): void {
  const device = run.deviceId === null ? undefined : view.get('devices', run.deviceId);
  if (device === undefined) return;
  const missing = missingCapabilities(device.capabilities, {
    channel,
    encodings: [],
    publishings: [],
    asset: undefined,
  });
  if (missing !== undefined)
    throw new AppError('unsupported_by_device', `${called('Device', device)} ${missing}. Choose another Channel.`);
}
