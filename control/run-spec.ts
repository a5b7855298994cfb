/** From an accepted start to what the runner gets. */
import { notFound } from '../domain/errors.ts';
import type { AssetFiles } from '../domain/control.ts';
import { renditionOf } from '../domain/ladder.ts';
import type { Encoding } from '../domain/encoding.ts';
import type { Livestream, StartConfigEntry } from '../domain/livestream.ts';
import { hasBackupPath } from '../domain/publishing.ts';
import type { OutputSpec, RenditionSpec, Run, RunSpec } from '../domain/run.ts';
import type { View } from '../domain/store.ts';
import type { Asset } from '../domain/asset.ts';
import { findAsset, resolveBindings, type Bindings } from './bindings.ts';

/** A run without evidence fails inside the 30 s of the state table; the rest is for noticing, storing and telling. */
const START_TIMEOUT_SECONDS = 25;

export function renditionsOf(
  encodings: readonly Readonly<Encoding>[],
  asset: Readonly<Asset> | undefined,
): RenditionSpec[] {
  const aspect = asset?.width && asset.height ? asset.width / asset.height : undefined;
  return encodings.map((encoding) => renditionOf(encoding, aspect === undefined ? {} : { aspect }));
}

/** Throws AppError not_found when a binding has gone since the start was accepted. */
export function buildRunSpec(
  view: View,
  livestream: Readonly<Livestream>,
  run: Readonly<Run>,
  files: Pick<AssetFiles, 'path'>,
): RunSpec {
  const bindings = resolveBindings(view, livestream);
  const { channel, asset } = bindings;
  if (channel === undefined) throw notFound('Channel', livestream.channelId);
  const { fallback } = livestream;
  const fallbackAsset = fallback.mode === 'file' ? findAsset(view, 'files', fallback.filename) : undefined;
  return {
    runId: run.runId,
    livestreamId: livestream.id,
    name: livestream.name,
    source: {
      channelId: channel.id,
      name: channel.name,
      type: channel.type,
      settings: channel.settings,
      path: asset === undefined ? null : files.path('files', asset.filename),
    },
    fallback:
      fallbackAsset === undefined
        ? { mode: fallback.mode === 'none' ? 'none' : 'slate', path: null }
        : { mode: 'file', path: files.path('files', fallbackAsset.filename) },
    renditions: renditionsOf(bindings.encodings, asset),
    outputs: outputsOf(bindings, run.startConfig),
    startTimeoutSeconds: START_TIMEOUT_SECONDS,
  };
}

function outputsOf(bindings: Bindings, startConfig: readonly StartConfigEntry[]): OutputSpec[] {
  const ladder = bindings.encodings.map((encoding) => encoding.id);
  return startConfig.flatMap((entry): OutputSpec[] => {
    const publishing = bindings.publishings.find((candidate) => candidate.id === entry.publishingId);
    if (publishing === undefined) return [];
    const { qualities } = entry;
    return [
      {
        publishingId: publishing.id,
        name: publishing.name,
        type: publishing.type,
        settings: publishing.settings,
        retry: publishing.retry,
        primary: entry.primary,
        backup: hasBackupPath(publishing) ? entry.backup : null,
        qualities: qualities === undefined ? ladder : ladder.filter((id) => qualities.includes(id)),
      },
    ];
  });
}
