/** The content keys of a start: they are requested once, and anew for each period where they are replaced, and lie with the run on its Device. */
import { contentKeyId, type KeyPeriod } from '../../domain/shapes/destinations/content-key-id.ts';
import { ENCRYPTABLE_VIDEO, encryptionMode, isRotated } from '../../domain/shapes/destinations/drm.ts';
import { SUPPORTED_SYSTEMS, type DrmProvider } from '../../domain/shapes/destinations/drm-provider.ts';
import type { Encoding } from '../../domain/shapes/encodings/encoding.ts';
import { AppError, ruleViolated } from '../../domain/base/errors.ts';
import type { ContentKeys, Integrations, KeyRequest } from '../../domain/shapes/installation/integrations.ts';
import type { Publishing } from '../../domain/shapes/destinations/publishing.ts';
import { isSupported } from '../../domain/rules/destinations/drm-provider.ts';
import type { KeySource, OutputDrm, OutputSpec, RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { called } from '../../domain/base/sentence.ts';
import type { View } from '../../domain/ports/store.ts';

/**
 * The exchange with a key server ends after 10 s with an error that names the server; this bound lies 2 s above it, so that this error comes
 * first. The start has 29 s in all, however long other steps take.
 */
export const KEYS_MS = 12_000;

export interface KeyNeed {
  publishingId: number;
  /** The Destination's name, for messages. */
  destination: string;
  provider: Readonly<DrmProvider>;
  request: KeyRequest;
  /** Left out: the keys are never replaced. */
  rotation?: { period: KeyPeriod; source: KeySource };
}

const MINUTE_MS = 60_000;

/** Answers one sentence why the keys of a Destination cannot be requested; undefined when nothing is in the way or nothing is encrypted. */
export function keyRefusal(view: View, { name, drm }: Pick<Publishing, 'name' | 'drm'>): string | undefined {
  if (drm?.active !== true) return undefined;
  const provider = view.get('drmProviders', drm.provider_id);
  const destination = `Destination "${name}" is to be encrypted`;
  if (provider === undefined) return `${destination}, and its DRM provider ${drm.provider_id} does not exist any more.`;
  const who = `its ${called('DRM provider', provider)}`;
  if (!provider.enabled) return `${destination}, and ${who} is disabled; enable it with updateDrmProvider.`;
  const lost = drm.systems.filter((system) => !isSupported(provider.supported_systems, system));
  return lost.length === 0 ? undefined : `${destination}, and ${who} does not deliver ${lost.join(', ')}.`;
}

/** Does the same as `keyRefusal` for the codecs of the ladder. */
export function codecRefusal(
  { name, drm }: Pick<Publishing, 'name' | 'drm'>,
  encodings: readonly Readonly<Encoding>[],
): string | undefined {
  if (drm?.active !== true) return undefined;
  const encoding = encodings.find(
    ({ settings_video: { active, codec } }) => active && !ENCRYPTABLE_VIDEO.includes(codec),
  );
  if (encoding === undefined) return undefined;
  return `Destination "${name}" is to be encrypted, which cannot be done with ${encoding.settings_video.codec} of Encoding "${encoding.name}"; use h264 or hevc.`;
}

/** Returns the request for the keys of a content, or of one period of it. */
export function keyRequest(
  { contentid, tracks }: Pick<KeySource, 'contentid' | 'tracks'>,
  how: Pick<KeyRequest, 'systems' | 'encryption_mode'>,
  period?: KeyPeriod,
): KeyRequest {
  const { systems, encryption_mode } = how;
  const kids = Object.fromEntries(tracks.map((track) => [track, contentKeyId(contentid, track, period)]));
  return { contentid, kids, systems, encryption_mode, ...(period !== undefined && { period: period.index }) };
}

/** Keys to request for all Destinations of a run, including those that are off, since they can be switched on later. Throws AppError. */
export function keyNeeds(view: View, { outputs, renditions }: RunSpec, nowMs: number): KeyNeed[] {
  return outputs.flatMap(({ publishingId, qualities, encrypted }) => {
    const publishing = view.get('publishings', publishingId);
    if (encrypted === undefined || publishing?.drm == null) return [];
    const refused = keyRefusal(view, publishing);
    if (refused !== undefined) throw ruleViolated(refused);
    const { drm, name } = publishing;
    const delivered = renditions.filter(({ encodingId }) => qualities.length === 0 || qualities.includes(encodingId));
    const tracks = [
      ...(delivered.some(({ video }) => video !== null) ? (['VIDEO'] as const) : []),
      ...(delivered.some(({ audio }) => audio !== null) ? (['AUDIO'] as const) : []),
    ];
    const systems = SUPPORTED_SYSTEMS.filter((system) => drm.systems.some((one) => one.toUpperCase() === system));
    const source = { providerId: drm.provider_id, contentid: drm.contentid, tracks };
    const period = isRotated(drm) ? periodAt(nowMs, drm.rotation_minutes! * MINUTE_MS) : undefined;
    const request = keyRequest(source, { systems, encryption_mode: encryptionMode(drm) }, period);
    const provider = view.get('drmProviders', drm.provider_id)!;
    const need = { publishingId, destination: name, provider, request };
    return [period === undefined ? need : { ...need, rotation: { period, source } }];
  });
}

function periodAt(nowMs: number, lengthMs: number): KeyPeriod {
  return { lengthMs, index: Math.floor(nowMs / lengthMs) };
}

/** Rejects with AppError upstream_failed or rule_violated that names the Destination and the provider; the error holds no key. */
export async function withContentKeys(
  spec: RunSpec,
  needs: readonly KeyNeed[],
  integrations: Pick<Integrations, 'requestKeys'> | undefined,
): Promise<RunSpec> {
  if (needs.length === 0) return spec;
  const signal = AbortSignal.timeout(KEYS_MS);
  const keys = new Map(
    await Promise.all(
      needs.map(
        async (need) => [need.publishingId, ofOutput(need, await requestedKeys(need, integrations, signal))] as const,
      ),
    ),
  );
  const outputs = spec.outputs.map((output): OutputSpec => {
    const drm = keys.get(output.publishingId);
    return drm === undefined ? output : { ...output, drm };
  });
  return { ...spec, outputs };
}

function ofOutput({ request: { systems }, rotation }: KeyNeed, keys: ContentKeys): OutputDrm {
  if (rotation === undefined) return { ...keys, systems };
  const { period, source } = rotation;
  const first = { index: period.index, keys: keys.keys, signals: keys.signals };
  return { ...keys, systems, rotation: { periodMs: period.lengthMs, periods: [first], source } };
}

/** Rejects likewise. */
export async function requestedKeys(
  { destination, provider, request }: KeyNeed,
  integrations: Pick<Integrations, 'requestKeys'> | undefined,
  signal: AbortSignal,
): Promise<ContentKeys> {
  const who = `Destination "${destination}" got no content keys from ${called('DRM provider', provider)}`;
  if (integrations === undefined) throw new AppError('upstream_failed', `${who}: no key service is connected.`);
  try {
    return await integrations.requestKeys(provider, request, signal);
  } catch (error) {
    // A timeout of the key server must not look like one of the Device, which would be asked again.
    const code = error instanceof AppError && error.code === 'rule_violated' ? 'rule_violated' : 'upstream_failed';
    const reason = error instanceof AppError ? error.message : 'it did not answer in time.';
    const upstream = error instanceof AppError ? error.extras.upstream : undefined;
    throw new AppError(code, `${who}: ${reason}`, { cause: error, ...(upstream !== undefined && { upstream }) });
  }
}
