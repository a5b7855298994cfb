/** Options that a run shows and plays: the part that its row remembers, and the part that its runner gets. */
import type { AssetFiles } from '../../domain/ports/control.ts';
import type { Asset } from '../../domain/shapes/media/asset.ts';
import { alarmsOf } from '../../domain/rules/broadcasts/alarms.ts';
import type { Channel } from '../../domain/shapes/sources/channel.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { SETTINGS_AT_START } from '../../domain/shapes/changes/change-questions.ts';
import type { BoundAsset, InForce, Run } from '../../domain/shapes/broadcasts/run.ts';
import type {
  FallbackSpec,
  PictureSpec,
  SourceFormat,
  SourceSpec,
  TextSpec,
} from '../../domain/shapes/broadcasts/run-spec.ts';

type Files = Pick<AssetFiles, 'path'>;

/** The options that a start puts on air. */
export function inForceAtStart(livestream: Readonly<Livestream>): InForce {
  const { channelId, logo, overlay, crop, fallback, scteMarkers, failover, sound, detect } = livestream;
  const alarms = alarmsOf(livestream);
  const blackout = { mode: 'Live', filename: null, keepAudio: false } as const;
  const options = { channelId, logo, overlay, crop, fallback, scteMarkers, failover, sound, detect, alarms };
  return { ...SETTINGS_AT_START, ...options, blackout };
}

export function inForceOf(run: Readonly<Run>, livestream: Readonly<Livestream>): InForce {
  // A row of an earlier version lacks the newer options.
  return { ...inForceAtStart(livestream), ...run.inForce };
}

export function sourceSpec(
  channel: Readonly<Pick<Channel, 'id' | 'name' | 'type' | 'settings'>>,
  asset: Readonly<Asset> | undefined,
  files: Files,
  lastFormat?: SourceFormat,
): SourceSpec {
  const { id, name, type, settings } = channel;
  const path = asset === undefined ? null : files.path('files', asset.filename);
  const durationSeconds = asset?.duration_seconds ?? undefined;
  return {
    channelId: id,
    name,
    type,
    settings,
    path,
    ...(durationSeconds !== undefined && { durationSeconds }),
    ...(lastFormat !== undefined && { lastFormat }),
  };
}

/** An Asset in use cannot be deleted, so the file exists as long as anything names it. */
export function fallbackSpec({ mode, filename }: InForce['fallback'], files: Files): FallbackSpec {
  if (mode === 'file' && filename) return { mode, path: files.path('files', filename) };
  return { mode: mode === 'none' ? 'none' : 'slate', path: null };
}

export function logoSpec(logo: InForce['logo'], files: Files): PictureSpec['logo'] {
  return logo?.filename ? { ...logo, path: files.path('logos', logo.filename) } : null;
}

export function textSpec(overlay: InForce['overlay']): TextSpec | null {
  if (overlay === null || !overlay.visible || overlay.text === '') return null;
  const { visible: _shown, ...text } = overlay;
  return text;
}

export function blackoutSpec(
  { mode, filename, keepAudio }: InForce['blackout'],
  files: Files,
): PictureSpec['blackout'] {
  return { mode, file: filename === null ? null : { filename, path: files.path('files', filename) }, keepAudio };
}

export function pictureSpec({ logo, overlay, blackout }: InForce, files: Files): PictureSpec {
  return { logo: logoSpec(logo, files), text: textSpec(overlay), blackout: blackoutSpec(blackout, files) };
}

export function logoAsset(logo: InForce['logo']): BoundAsset | undefined {
  return logo?.filename ? { fileType: 'logos', filename: logo.filename, use: 'logo' } : undefined;
}

export function fileAsset(filename: string | null, use: 'fallback' | 'blackout'): BoundAsset | undefined {
  return filename ? { fileType: 'files', filename, use } : undefined;
}
