/** Compares the needs of a Live stream with the capabilities of a Device or the cloud platform. */
import type { Capabilities } from '../../domain/shapes/devices/device.ts';
import { encryptionMode } from '../../domain/shapes/destinations/drm.ts';
import { isRist } from '../../domain/network/rist.ts';
import { usesRist, type Publishing } from '../../domain/shapes/destinations/publishing.ts';
import type { Bindings } from './bindings.ts';

/** Names in words what the Device cannot do for the Live stream; undefined when nothing is missing. */
export function missingCapabilities(
  capabilities: Capabilities | null,
  { channel, encodings, publishings }: Bindings,
): string | undefined {
  if (capabilities === null) return 'has not told what it can do yet (retry in a moment)';
  // The names are those of the Device's own list of missing capabilities.
  const needs: [string, boolean][] = [
    ...(channel === undefined ? [] : [need(`Channel ${channel.type}`, capabilities.inputs, channel.type)]),
    ...protocolNeeds(capabilities, { channel, publishings }),
    ...publishings.map(({ type }) => need(`Publishing ${type}`, capabilities.outputs, type)),
    ...publishings.flatMap(({ drm }) => (drm?.active === true ? [encryptionNeed(capabilities, drm)] : [])),
    ...encodings.flatMap(({ settings_video: video, settings_audio: audio }) => [
      ...(video.active ? [need(`video ${video.codec}`, [...capabilities.video_encoders, 'copy'], video.codec)] : []),
      ...(audio.active ? [need(`audio ${audio.codec}`, [...capabilities.audio_encoders, 'copy'], audio.codec)] : []),
    ]),
  ];
  const missingFeatures = [...new Set(needs.filter(([, isPossible]) => !isPossible).map(([feature]) => feature))];
  if (missingFeatures.length === 0) return undefined;
  const remedies = capabilities.missing
    .filter(({ feature }) => missingFeatures.includes(feature))
    .map(({ feature, needs: what }) => `${feature} needs ${what}`);
  return `cannot do ${missingFeatures.join(', ')}${remedies.length > 0 ? `: ${remedies.join('; ')}` : ''}`;
}

/** A type has addresses of several protocols, one of which not every ffmpeg has. */
function protocolNeeds(
  { protocols }: Capabilities,
  { channel, publishings }: Pick<Bindings, 'channel' | 'publishings'>,
): [string, boolean][] {
  const isNeeded = isRist(channel?.settings.url) || publishings.some(({ settings }) => usesRist(settings));
  return isNeeded ? [need('protocol rist', protocols, 'rist')] : [];
}

function encryptionNeed({ encryption = [] }: Capabilities, drm: NonNullable<Publishing['drm']>): [string, boolean] {
  const scheme = encryptionMode(drm);
  return need(`encryption ${scheme}`, encryption, scheme);
}

function need(feature: string, capabilities: readonly string[], wanted: string): [string, boolean] {
  return [feature, capabilities.includes(wanted)];
}
