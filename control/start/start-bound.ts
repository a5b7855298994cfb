/** The bound of a start, and the reason for a start that passed it. */
import type { AssetFiles } from '../../domain/ports/control.ts';
import type { Ingest } from '../../domain/shapes/sources/ingest.ts';
import { lastObstacle } from '../../domain/rules/broadcasts/obstacle.ts';
import type { Run, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { ended } from '../../domain/base/sentence.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { DeviceRegistry } from '../device-registry.ts';

interface Bound {
  ms: number;
  /** The bound as people are told it; docs/control-plane.md has it in the table of states. */
  words: string;
  silent: string;
}

/** A start ends so long before what people are told, so that the failure is stored in time. */
const EARLIER_MS = 1000;
const OF_DEVICE: Bound = { ms: 29_000, words: '30 s', silent: 'the Device did not answer' };
/** The cloud platform may have to make room first. */
const OF_CLOUD: Bound = { ms: 300_000, words: '300 s', silent: 'the cloud platform did not answer' };
/**
 * The runner's own limit ends this long before the bound of the start: its process starts in 1-2 s on a busy machine and ends in order in
 * as many. It knows best what is missing, so its own error should arrive first.
 */
const RUNNER_MARGIN_MS = 4000;
/** A run that is handed over late still has time to look at its source. */
const MIN_SECONDS = 1;

/** One that begins anew has twice the time with each try, because nothing else is known to be better. */
const MAX_MS = 300_000;

type Bounded = Pick<Run, 'since' | 'cloudAccountId' | 'again'>;

function boundOf({ cloudAccountId, again }: Pick<Run, 'cloudAccountId' | 'again'>): Bound {
  const bound = cloudAccountId == null ? OF_DEVICE : OF_CLOUD;
  if (again === undefined || again.failed === 0) return bound;
  const ms = Math.min((bound.ms + EARLIER_MS) * 2 ** again.failed, MAX_MS);
  return { ...bound, ms: ms - EARLIER_MS, words: `${ms / 1000} s` };
}

/** Milliseconds from now until the start has failed. */
export function startLeftMs(run: Bounded, nowMs: number): number {
  return Math.max(0, Date.parse(run.again?.at ?? run.since) + boundOf(run).ms - nowMs);
}

/**
 * Seconds that a runner which gets its spec now has until it fails by itself: `maxSeconds`, or what the wait for keys or the Device has
 * left of it.
 */
export function runnerSeconds(run: Bounded & Pick<Run, 'status'>, nowMs: number, maxSeconds: number): number {
  // A run that was on air has no bound: it begins anew where it was lost.
  if (run.status !== 1) return maxSeconds;
  const left = Math.ceil((startLeftMs(run, nowMs) - RUNNER_MARGIN_MS) / 1000);
  return Math.max(MIN_SECONDS, Math.min(maxSeconds, left));
}

/** `report` is the last of the run's Device, undefined when none came. `refusal` is the Device's last reason for not taking the order. */
export async function whyLate(
  store: Pick<Store, 'find'>,
  run: Readonly<Run>,
  report: RunReport | undefined,
  refusal: string | undefined,
): Promise<string> {
  const { words, silent } = boundOf(run);
  const reason =
    refusal ??
    (await lastObstacle(store, run, report, run.again?.at)) ??
    (report === undefined ? silent : stateOf(report));
  return `No media evidence within ${words}: ${ended(reason)}`;
}

/** Adds where an encoder has to send to, and what is there. */
export function withIngest(reason: string, ingest: Ingest | null): string {
  if (ingest === null || ingest.state === 'receiving') return reason;
  const { url, state, error, note } = ingest;
  const why = { off: note, waiting: 'no encoder sends', refused: ingest.last_refusal?.message, failed: error }[state];
  return `${ended(reason)} The ingest ${url} is ${state}${why == null ? '.' : `: ${ended(why)}`}`;
}

/** Describes a Device that answers and has met no obstacle. */
function stateOf({ source, publishings }: RunReport): string {
  if (source.state === 'idle') return 'the Device answers, but its encoder has not opened the source yet';
  if (source.state !== 'up') return `the source is ${source.state}, and has given no media`;
  const states = publishings.map(({ name, primary }) => `"${name}" is ${primary.state}`);
  return `no Destination has taken the stream (${states.join(', ')})`;
}

/** The ingest of a source that did not come; null for a source that came, or is not pushed. */
export function missingIngest(
  {
    registry,
    ingests,
  }: {
    registry: Pick<DeviceRegistry, 'report'>;
    ingests: { ingestById(channelId: number, deviceId: number | null): Ingest | null };
  },
  { runId, deviceId, boundChannels: [channelId] = [] }: Readonly<Run>,
): Ingest | null {
  if (channelId === undefined || registry.report(runId)?.source.state === 'up') return null;
  return ingests.ingestById(channelId, deviceId);
}

export async function bringAssets(
  files: Pick<AssetFiles, 'bring'>,
  { boundAssets = [] }: Readonly<Run>,
): Promise<void> {
  for (const { fileType, filename } of boundAssets) await files.bring?.(fileType, filename);
}
