/** To which Channel a broadcast may switch while it is on air. */
import type { Channel, ChannelType } from '../domain/channel.ts';
import { AppError, type FieldIssue } from '../domain/errors.ts';
import { hasFeature } from '../domain/licence.ts';
import { assertRules, referenceIssues } from '../domain/resources/rules.ts';
import { assertNotCopied, type OnAir } from './on-air.ts';
import { sourceSpec } from './in-force.ts';
import { lackOf } from './lack.ts';
import { inForceStep, withChannel, withFiles, type Plan } from './steps.ts';

/** Files have an end and inputs of a card have one place: neither is live from elsewhere. */
const NOT_SWITCHED: readonly ChannelType[] = ['SDI', 'AES/EBU', 'File'];

export function planSwitch(at: OnAir, { channelId }: { channelId: number }): Plan {
  const { view, inForce, files } = at;
  assertRules(referenceIssues(view, 'channels', 'Channel', 'channelId', channelId));
  const channel = view.get('channels', channelId)!;
  assertRules(channelIssues(channel, inForce.channelId));
  assertNotCopied(at, 'A switch of the source');
  assertLicensed(at, channel);
  assertAble(at, channel);
  const change = { type: 'source', source: sourceSpec(channel, undefined, files) } as const;
  const step = withFiles(inForceStep(change, inForce, { channelId }), [{ use: 'source', asset: undefined }]);
  return { steps: [withChannel(step, channelId)], notes: [] };
}

function channelIssues({ id, name, type }: Readonly<Channel>, onAir: number): FieldIssue[] {
  if (id === onAir)
    return [{ field: 'channelId', code: 'on_air', message: `Channel ${id} "${name}" is on air already` }];
  if (!NOT_SWITCHED.includes(type)) return [];
  const message = `Channel ${id} "${name}" is of type ${type}, which cannot be switched to on air; choose one that is pulled or pushed live`;
  return [{ field: 'channelId', code: 'unsupported', message, refused: NOT_SWITCHED }];
}

function assertLicensed({ view, now }: OnAir, { type, name }: Readonly<Channel>): void {
  if (type !== 'VideoSite Live' || hasFeature(view, 'videosite', now)) return;
  const message = `Channel "${name}" of type VideoSite Live needs a licence with the feature videosite; an Admin installs it (installLicense).`;
  throw new AppError('forbidden', message, { facts: { reasons: [{ code: 'licence', message }] } });
}

/** Throws AppError unsupported_by_device that names what the run's Device lacks. */
function assertAble({ view, run }: OnAir, channel: Readonly<Channel>): void {
  const device = run.deviceId === null ? undefined : view.get('devices', run.deviceId);
  if (device === undefined) return;
  const lack = lackOf(device.capabilities, { channel, encodings: [], publishings: [], asset: undefined });
  if (lack !== undefined)
    throw new AppError(
      'unsupported_by_device',
      `Device ${device.id} "${device.name}" ${lack}. Choose another Channel.`,
    );
}
