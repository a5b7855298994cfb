/** Compares the needs of a Live stream with the capabilities of a Device or the cloud platform. */
import { isAble, neededFeatures } from '../../domain/rules/devices/needed-features.ts';
import type { Capabilities } from '../../domain/shapes/devices/device.ts';
import type { Bindings } from './bindings.ts';

/** Names in words what the Device cannot do for the Live stream; undefined when nothing is missing. */
export function missingCapabilities(
  capabilities: Capabilities | null,
  { channel, encodings, publishings }: Bindings,
): string | undefined {
  if (capabilities === null) return 'has not told what it can do yet (retry in a moment)';
  const needed = neededFeatures({ channels: channel === undefined ? [] : [channel], encodings, publishings });
  const missingFeatures = needed.filter((feature) => !isAble(capabilities, feature));
  if (missingFeatures.length === 0) return undefined;
  const rows = missingFeatures.map(missingRow);
  const remedies = capabilities.missing
    .filter(({ feature }) => rows.includes(feature))
    .map(({ feature, needs: what }) => `${feature} needs ${what}`);
  if (missingFeatures.every((feature) => feature.startsWith('agent ')))
    return `has an agent of an earlier version, which cannot do ${missingFeatures.map((feature) => feature.slice('agent '.length)).join(', ')}: update it`;
  return `cannot do ${missingFeatures.join(', ')}${remedies.length > 0 ? `: ${remedies.join('; ')}` : ''}`;
}

/** A Device tells once of each kind of hardware what keeps it from encoding. */
function missingRow(feature: string): string {
  return /^encoder \w+/u.exec(feature)?.[0] ?? feature;
}
