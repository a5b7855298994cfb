/** The features that rows need of a Device, by the names that it gives to those that it lacks. */
import { isRist } from '../../network/rist.ts';
import type { DeviceFeature } from '../../shapes/devices/device-features.ts';
import { hardwareFeature, isHardware } from '../../shapes/encodings/hardware.ts';
import type { Capabilities, Device } from '../../shapes/devices/device.ts';
import { encryptionMode, isRotated } from '../../shapes/destinations/drm.ts';
import { usesRist, type Publishing } from '../../shapes/destinations/publishing.ts';
import type { Encoding } from '../../shapes/encodings/encoding.ts';
import { lightOf } from '../../shapes/encodings/light.ts';
import type { Channel } from '../../shapes/sources/channel.ts';
import { isPushed } from '../../types/channel-questions.ts';

export interface NeedingRows {
  channels: readonly Readonly<Channel>[];
  encodings: readonly Readonly<Encoding>[];
  publishings: readonly Readonly<Publishing>[];
}

/** Each name once. */
export function neededFeatures({ channels, encodings, publishings }: NeedingRows): string[] {
  // A type has addresses of several protocols, one of which not every ffmpeg has.
  const isRistUsed =
    channels.some(({ settings }) => isRist(settings.url)) || publishings.some(({ settings }) => usesRist(settings));
  const features = [
    ...channels.map(({ type }) => `Channel ${type}`),
    ...(isRistUsed ? ['protocol rist'] : []),
    ...(channels.some(takesRtmps) ? [ofAgent('rtmps')] : []),
    ...publishings.map(({ type }) => `Publishing ${type}`),
    ...publishings.flatMap(({ drm }) => (drm?.active === true ? [`encryption ${encryptionMode(drm)}`] : [])),
    ...(publishings.some(({ drm }) => drm?.active === true && isRotated(drm)) ? [ofAgent('key_rotation')] : []),
    ...encodings.flatMap(({ settings_video: video, settings_audio: audio }) => [
      ...(video.active ? [`video ${video.codec}`] : []),
      ...(video.active && lightOf(video) !== 'sdr' ? [`HDR ${video.codec}`] : []),
      ...(video.active && video.codec !== 'copy' && isHardware(video.encoder)
        ? [hardwareFeature(video.encoder, video)]
        : []),
      ...(audio.active ? [`audio ${audio.codec}`] : []),
    ]),
  ];
  return [...new Set(features)];
}

/** Its Device listens with TLS, which an agent of an earlier version would leave out. */
function takesRtmps(channel: Readonly<Channel>): boolean {
  return isPushed(channel) && channel.settings.tls === true;
}

export function ofAgent(feature: DeviceFeature): string {
  return `agent ${feature}`;
}

export function hasFeature({ capabilities }: Readonly<Pick<Device, 'capabilities'>>, feature: DeviceFeature): boolean {
  return capabilities !== null && isAble(capabilities, ofAgent(feature));
}

const LISTS: Readonly<Record<string, (capabilities: Capabilities) => readonly string[]>> = {
  Channel: ({ inputs }) => inputs,
  protocol: ({ protocols }) => protocols,
  Publishing: ({ outputs }) => outputs,
  encryption: ({ encryption = [] }) => encryption,
  agent: ({ features = [] }) => features,
  // What is copied needs no encoder.
  encoder: ({ hardware_encoders = [] }) =>
    hardware_encoders.flatMap(({ kind, codec, ten_bit }) => [
      `${kind} ${codec}`,
      ...(ten_bit ? [`${kind} ${codec} 10 bit`] : []),
    ]),
  video: ({ video_encoders }) => [...video_encoders, 'copy'],
  // A Device of an earlier version makes none.
  HDR: ({ hdr_encoders = [] }) => hdr_encoders,
  audio: ({ audio_encoders }) => [...audio_encoders, 'copy'],
};

export function isAble(capabilities: Capabilities, feature: string): boolean {
  const [kind = ''] = feature.split(' ', 1);
  return LISTS[kind]?.(capabilities).includes(feature.slice(kind.length + 1)) === true;
}
