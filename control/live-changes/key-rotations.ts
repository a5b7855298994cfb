/**
 * Brings runs the content keys of the next period, as soon as those of the present one are in use: a key server may be away for that long. What
 * a runner has is in its reports, so that it does not matter which server asks, or whether it was started anew.
 */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { retryDelayMs } from '../../domain/time/back-off.ts';
import { AppError, ruleViolated } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import type { Integrations } from '../../domain/shapes/installation/integrations.ts';
import type { KeyRotationReport, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { addEvent } from '../../domain/rules/rows/event-log.ts';
import type { Store, View } from '../../domain/ports/store.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import type { RowCache } from '../row-cache.ts';
import { keyRefusal, keyRequest, KEYS_MS, requestedKeys, type KeyNeed } from '../start/content-keys.ts';

export interface KeyRotationsDeps {
  store: Store;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  rows: Pick<RowCache, 'run'>;
  registry: Pick<DeviceRegistry, 'get'>;
  integrations: Pick<Integrations, 'requestKeys'> | undefined;
}

/** The keys of a period that are being fetched, or could not be had yet. */
interface Wanted {
  runId: string;
  index: number;
  attempts: number;
  isUnderWay: boolean;
  notBeforeMs: number;
}

/** A period lasts a quarter of an hour at least, so that a key server has many chances. */
const RETRIES = { max_attempts: Infinity, initial_delay_ms: 4000, max_delay_ms: 60_000 };

export class KeyRotations {
  private readonly deps: KeyRotationsDeps;
  private readonly wanted = new Map<string, Wanted>();

  constructor(deps: KeyRotationsDeps) {
    this.deps = deps;
  }

  observe(deviceId: number, { runId, livestreamId, key_rotations: rotations = [] }: RunReport): void {
    const run = this.deps.rows.run(livestreamId);
    if (run?.runId !== runId || run.deviceId !== deviceId) return;
    for (const rotation of rotations) {
      const { publishingId, last, present } = rotation;
      if (!run.boundPublishings.includes(publishingId) || last > present) continue;
      const index = last < present ? present : present + 1;
      const name = `${livestreamId} ${publishingId}`;
      const known = this.wanted.get(name);
      const isKnown = known?.runId === runId && known.index === index;
      const wanted = isKnown ? known : { runId, index, attempts: 0, isUnderWay: false, notBeforeMs: 0 };
      this.wanted.set(name, wanted);
      if (wanted.isUnderWay || this.deps.clock.now() < wanted.notBeforeMs) continue;
      wanted.isUnderWay = true;
      void this.bring(deviceId, livestreamId, rotation, wanted).finally(() => (wanted.isUnderWay = false));
    }
  }

  private async bring(
    deviceId: number,
    livestreamId: number,
    rotation: KeyRotationReport,
    wanted: Wanted,
  ): Promise<void> {
    const { store, registry, integrations, clock, log } = this.deps;
    const { runId, index } = wanted;
    const { publishingId } = rotation;
    try {
      const need = await store.tx((tx) => needOf(tx, rotation, index));
      const { keys, signals } = await requestedKeys(need, integrations, AbortSignal.timeout(KEYS_MS));
      const device = registry.get(deviceId);
      await device?.link.change(runId, { type: 'keys', publishingId, period: { index, keys, signals } });
    } catch (error) {
      wanted.attempts += 1;
      wanted.notBeforeMs = clock.now() + retryDelayMs(RETRIES, wanted.attempts, 1)!;
      const isRefused = error instanceof AppError && ['upstream_failed', 'rule_violated'].includes(error.code);
      if (!isRefused)
        return log.warn({ err: error, livestreamId, publishingId }, 'New content keys have not arrived yet');
      if (wanted.attempts > 1) return;
      const period_start = toIso(index * rotation.periodMs);
      const message = `${error.message} They are for the period from ${period_start}; the present ones stay in use until others come.`;
      const data = { publishingId, period_start, runId };
      await store
        .tx((tx) =>
          addEvent(tx, toIso(clock.now()), livestreamId, { kind: 'keys_missing', severity: 'warning', message, data }),
        )
        .catch((reason: unknown) => log.warn({ err: reason, livestreamId }, 'An event could not be stored'));
    }
  }
}

/** A Device gets keys of its own content alone: its report is compared with the rows. Throws AppError. */
function needOf(
  view: View,
  { publishingId, providerId, contentid, tracks, systems, encryption_mode, periodMs }: KeyRotationReport,
  index: number,
): KeyNeed {
  const publishing = view.get('publishings', publishingId);
  const { drm, name } = publishing ?? { drm: null, name: String(publishingId) };
  if (publishing === undefined || drm?.active !== true || drm.provider_id !== providerId || drm.contentid !== contentid)
    throw ruleViolated(
      `Destination "${name}" got no content keys: its drm was changed since the start, and counts from the next start on.`,
    );
  const refused = keyRefusal(view, publishing);
  if (refused !== undefined) throw ruleViolated(refused);
  const provider = view.get('drmProviders', providerId)!;
  const period = { lengthMs: periodMs, index };
  const request = keyRequest({ contentid, tracks }, { systems, encryption_mode }, period);
  return { publishingId, destination: name, provider, request };
}
