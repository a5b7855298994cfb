/** Resources of a run at the cloud platform: their names find them again, and they end with the run. */
import { defaultIngestPort } from '../../domain/shapes/sources/channel.ts';
import { AppError } from '../../domain/base/errors.ts';
import { ownSettings } from '../../domain/rules/destinations/publishing-settings.ts';
import { srtKeyBits } from '../../domain/network/srt.ts';
import type { PlacedFiles } from './files.ts';
import type { OutputSpec, RenditionSpec, RunSpec, SourceSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { isSrt, playsAsset } from '../../domain/types/channel-questions.ts';
import { CHANNEL_ROWS } from '../../domain/types/channel-types.ts';

/** Names of all resources of a run begin with this; the rest names the resource of ours that it stands for. */
export function prefixOf(runId: string): string {
  return `onair:${runId}:`;
}

export interface CloudRunName {
  /** The service that ordered the run: others may use the same platform. */
  owner: string;
  runId: string;
  livestreamId: number;
  channelId: number;
}

function livestreamName({ owner, runId, livestreamId, channelId }: CloudRunName): string {
  return `${prefixOf(runId)}livestream:${livestreamId}:${channelId}:${owner}`;
}

/** Undefined for a Live stream there that is not one of ours. */
export function readLivestreamName(name: string): CloudRunName | undefined {
  const match = /^onair:([\w.-]+):livestream:(\d+):(\d+):(\w+)$/u.exec(name);
  if (match === null) return undefined;
  return { runId: match[1]!, livestreamId: Number(match[2]), channelId: Number(match[3]), owner: match[4]! };
}

export function nameOf(runId: string, kind: string, id: number): string {
  return `${prefixOf(runId)}${kind}:${id}`;
}

/** Our id in a name that `nameOf` has made. */
export function ownIdOf(name: string): number {
  return Number(name.slice(name.lastIndexOf(':') + 1));
}

/** The Channel there. `filename` is the platform's name of the file of a Channel that plays one. Throws AppError unsupported_by_device. */
export function channelBody(runId: string, source: SourceSpec, filename: string | undefined): object {
  const name = nameOf(runId, 'channel', source.channelId);
  const { type, settings } = source;
  const { cloud } = CHANNEL_ROWS[type];
  if (cloud === 'refuses')
    throw new AppError(
      'unsupported_by_device',
      `Channel "${source.name}" of type ${type} needs a card or a network of this site; the cloud platform has neither. Start it on a Device.`,
    );
  if (cloud !== 'takes') return { name, ...cloud(settings, settings.port ?? defaultIngestPort(source.channelId)) };
  if (playsAsset(source)) return { name, type, settings: { filename, loop: settings.loop ?? true } };
  return { name, type, settings: isSrt(type) ? { ...settings, encryption: srtKeyBits(settings) } : settings };
}

export function encodingBody(runId: string, { encodingId, video, audio }: RenditionSpec): object {
  const { hdr = null, encoder: _, ...settings }: Partial<NonNullable<typeof video>> = video ?? { active: false };
  return {
    name: nameOf(runId, 'encoding', encodingId),
    // A platform of an earlier version does not know these fields, and it encodes in software.
    settings_video: hdr === null ? settings : { ...settings, hdr },
    settings_audio: audio ?? { active: false },
  };
}

/** Throws AppError unsupported_by_device. */
export function publishingBody(runId: string, output: OutputSpec): object {
  const { publishingId, name, type, settings, retry } = output;
  if (output.drm !== undefined)
    throw new AppError(
      'unsupported_by_device',
      `Destination "${name}" is to be encrypted; content keys do not leave this site. Start it on a Device.`,
    );
  if (output.access !== undefined)
    throw new AppError(
      'unsupported_by_device',
      `Destination "${name}" is for viewers with a token; the cloud platform checks none of this site. Start it on a Device.`,
    );
  // A Remote Folder of this site has another id there, or none.
  const { remotefolder: _, ...kept } = ownSettings({ type, settings });
  // The description is the name on this site, which the status repeats.
  return { name: nameOf(runId, 'publishing', publishingId), description: name, type, settings: kept, retry };
}

export function livestreamBody(
  owner: string,
  spec: RunSpec,
  files: PlacedFiles,
  bound: { channelId: number; encodingGroupId: number; publishingGroupId: number },
): object {
  const { scteMarkers, crop, fallback, picture } = spec;
  const { text, logo } = picture;
  return {
    ...bound,
    name: livestreamName({ ...spec, owner, channelId: spec.source.channelId }),
    scteMarkers,
    crop,
    fallback: { mode: fallback.mode, filename: files.fallback ?? null },
    logo: logo === null ? null : { filename: files.logo, position: logo.position },
    overlay: text === null ? null : { ...text, visible: true },
  };
}

/** Values that the platform must not repeat in its messages. */
export function secretsOf({ source, outputs }: RunSpec): string[] {
  const { passphrase, stream_key, streamid, secret, rist } = source.settings;
  const secrets = [passphrase, stream_key, streamid, secret, rist?.secret ?? ''];
  for (const { settings } of outputs)
    secrets.push(
      settings.stream_key ?? '',
      settings.password ?? '',
      settings.access_key ?? '',
      settings.secret_key ?? '',
      settings.srt.passphrase ?? '',
      settings.srt.streamid ?? '',
      settings.rist?.secret ?? '',
    );
  return secrets.filter((secret): secret is string => secret !== undefined && secret !== '');
}
