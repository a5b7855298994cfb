/** Places a start on the cloud platform: finds the Cloud account, or the reason against it. */
import { PLATFORM_CAPABILITIES, type CloudAccount } from '../../domain/shapes/devices/cloud-account.ts';
import type { StartReason, StartRequest, StartTarget } from '../../domain/ports/control.ts';
import type { View } from '../../domain/ports/store.ts';
import { listeningDevice } from '../../domain/rules/sources/listening.ts';
import { unlicensedCloud } from '../../domain/rules/installation/licence-limits.ts';
import { called, calledIn } from '../../domain/base/sentence.ts';
import type { Bindings } from './bindings.ts';
import { cloudPlace } from '../locations.ts';
import { missingCapabilities } from './missing-capabilities.ts';
import { isOfCloud } from '../../domain/types/channel-questions.ts';

type Online = (place: number) => boolean;
type TargetReason = NonNullable<StartTarget['reason']>;

interface Wanted {
  bindings: Bindings;
  now: string;
}

/** Answers the account that the request names, else that of a Channel which is received on the platform. */
export function accountIdOf(
  { cloudAccountId, deviceId, idEncoderGroup }: StartRequest,
  { channel }: Pick<Bindings, 'channel'>,
): number | undefined {
  if (cloudAccountId != null) return cloudAccountId;
  if (deviceId != null || idEncoderGroup != null) return undefined;
  return channel !== undefined && isOfCloud(channel) ? channel.settings.cloudAccountId : undefined;
}

/** undefined when the Live stream can start there. */
export function accountRefusal(
  view: View,
  isOnline: Online,
  accountId: number,
  wanted: Wanted,
): StartReason | undefined {
  const account = view.get('cloudAccounts', accountId);
  if (account === undefined)
    return { code: 'no_device', message: `Cloud account ${accountId} does not exist; see getAllCloudAccounts.` };
  const against = checkAccount(view, isOnline, account, wanted);
  if (against === undefined) return undefined;
  const { code, message } = against;
  return { code: code === 'unsupported' || code === 'licence' ? code : 'no_device', message };
}

export function checkAccount(
  view: View,
  isOnline: Online,
  { id, client, enabled, validation_status, validation_error }: Readonly<CloudAccount>,
  { bindings, now }: Wanted,
): TargetReason | undefined {
  const account = called('Cloud account', { id, name: client });
  if (!enabled) return { code: 'disabled', message: `${account} is disabled.` };
  const unlicensed = unlicensedCloud(view, now, account);
  if (unlicensed !== undefined) return { code: 'licence', message: unlicensed };
  if (validation_status !== 'VALID') {
    const why = validation_error === null ? '' : `: ${validation_error}`;
    return { code: 'not_validated', message: `${account} is not validated${why}; check it with validateCloudAccount.` };
  }
  if (!isOnline(cloudPlace(id))) return { code: 'offline', message: `${account}: the cloud platform does not answer.` };
  const missing = missingOfAccount(view, id, bindings) ?? missingCapabilities(PLATFORM_CAPABILITIES, bindings);
  return missing === undefined
    ? undefined
    : { code: 'unsupported', message: `${account}: the cloud platform ${missing}.` };
}

/** Checks what no list of capabilities says: keys stay at this site, and a Channel is received by the account that it names. */
function missingOfAccount(
  view: View,
  accountId: number,
  { channel, backup, publishings }: Bindings,
): string | undefined {
  for (const pushed of [channel, backup]) {
    const deviceId = listeningDevice(pushed);
    if (deviceId !== undefined)
      return `does not take in Channel "${pushed!.name}", which is pushed to ${calledIn(view, 'Device', deviceId)}`;
  }
  const encrypted = publishings.find(({ drm }) => drm?.active === true);
  if (encrypted !== undefined)
    return `gets no content keys from this site, and Destination "${encrypted.name}" is to be encrypted`;
  const tokened = publishings.find(({ access }) => access === 'token');
  if (tokened !== undefined)
    return `checks no viewers' tokens of this site, and Destination "${tokened.name}" is not for everybody`;
  const foreign = channel?.settings.cloudAccountId;
  if (foreign !== undefined && foreign !== accountId)
    return `receives Channel "${channel?.name}" by ${calledIn(view, 'Cloud account', foreign)}`;
  return undefined;
}
