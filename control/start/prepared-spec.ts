/** Makes the spec of a run whole before it is handed over: with its content keys, and with its media on the Device. */
import type { Clock } from '../../domain/time/clock.ts';
import type { AssetFiles } from '../../domain/ports/control.ts';
import type { DeviceLink } from '../../domain/ports/device-link.ts';
import type { Integrations } from '../../domain/shapes/installation/integrations.ts';
import type { Gate } from '../../domain/shapes/broadcasts/run-move.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { Store, View } from '../../domain/ports/store.ts';
import { keyNeeds, withContentKeys } from './content-keys.ts';
import { buildRunSpec, type PlaybackKeys } from './run-spec.ts';
import { bringAssets } from './start-bound.ts';

export interface SpecDeps {
  store: Pick<Store, 'tx'>;
  clock: Pick<Clock, 'now'>;
  /** Seals the order into the spec, for a store that went back. */
  restored: { withOrder(view: View, spec: RunSpec, livestream: Readonly<Livestream>, run: Readonly<Run>): RunSpec };
  files: Pick<AssetFiles, 'path' | 'bring'>;
  /** IANA zone of the clock tokens in texts on air; UTC when undefined. */
  timezone?: string | undefined;
  /** Source of content keys; without it a start with an encrypted Destination fails. */
  integrations?: Pick<Integrations, 'requestKeys'> | undefined;
  /** Signs tokens of viewers; without it no Destination with tokens is delivered. */
  playbackKey?: PlaybackKeys | undefined;
}

export interface BuiltSpec {
  spec: RunSpec;
  needs: ReturnType<typeof keyNeeds>;
}

/** Rejects with AppError not_found, like buildRunSpec. */
export function buildSpec(
  { store, clock, restored, files, timezone, playbackKey }: SpecDeps,
  livestream: Readonly<Livestream>,
  run: Readonly<Run>,
  gate?: Gate,
): Promise<BuiltSpec> {
  return store.tx((tx) => {
    const plain = buildRunSpec(tx, livestream, { run, now: clock.now(), files, timezone, keyOf: playbackKey });
    const built = gate === undefined ? plain : { ...plain, gate };
    return { spec: restored.withOrder(tx, built, livestream, run), needs: keyNeeds(tx, built, clock.now()) };
  });
}

/** Nothing has to be fetched for it. */
export function isWhole({ needs }: BuiltSpec, { files }: Pick<SpecDeps, 'files'>, link: DeviceLink): boolean {
  return needs.length === 0 && link.prepare === undefined && files.bring === undefined;
}

/** It may take as long as the media is large. */
export async function makeWhole(
  { spec, needs }: BuiltSpec,
  { files, integrations }: SpecDeps,
  run: Readonly<Run>,
  link: DeviceLink,
): Promise<RunSpec> {
  const media = link.prepare === undefined ? bringAssets(files, run) : undefined;
  const [complete] = await Promise.all([withContentKeys(spec, needs, integrations), media]);
  return link.prepare?.(complete) ?? complete;
}
