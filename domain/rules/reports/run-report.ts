/** A report of what happened, out of the rows that tell of it. */
import type { LivestreamEvent, EventKind } from '../../shapes/installation/event.ts';
import type { AuditEntry } from '../../shapes/installation/security.ts';
import type { Missed, ReportedRun, WholeReport } from '../../shapes/reports/run-report.ts';
import type { Recording } from '../../shapes/media/recording.ts';
import type { TimedAction } from '../../shapes/schedules/planned-action.ts';
import type { Firing } from '../../shapes/schedules/schedule.ts';
import { instantField } from '../../base/schema.ts';
import { missedSpans, secondsIn, spansForAll, spansOfDestination } from './missed-spans.ts';
import { verdictOf } from './verdict.ts';

type Event = Readonly<LivestreamEvent>;
type Occurrence = Pick<Firing, 'scheduleId' | 'occurrence_start' | 'occurrence_end' | 'state'>;

/** The most viewers at a time in the minute that ends at this instant. */
export interface Peak {
  at: string;
  peak: number;
}

const MINUTE_MS = 60_000;

export interface ReportFacts {
  livestream: { id: number; name: string };
  zone: string;
  from: string;
  to: string;
  run: ReportedRun | null;
  /** Those of the Live stream from the start of the run on, or from `from` where that is earlier, up to `to`, in their order. */
  events: readonly Event[];
  orders: readonly Readonly<AuditEntry>[];
  /** One that goes with a Schedule is there once for each occurrence. */
  actions: readonly Pick<TimedAction, 'id' | 'execute_at' | 'type' | 'status' | 'error'>[];
  occurrences: readonly Readonly<Occurrence>[];
  recordings: readonly Readonly<Recording>[];
  audience: readonly Peak[];
  /** Names of Destinations, by their ids. */
  names: ReadonlyMap<number, string>;
}

const ENDINGS: readonly EventKind[] = ['stopped', 'start_failed', 'run_given_up'];

/** The run that its order of the start tells of; `events` are those from that order on. */
export function runOf(start: Event, events: readonly Event[]): ReportedRun {
  const { runId } = start.data;
  const next = events.find(({ kind, id }) => kind === 'start_requested' && id !== start.id);
  const own = events.filter(({ at }) => next === undefined || at < next.at);
  const ending = own.find(({ kind, data }) => ENDINGS.includes(kind) && data['runId'] === runId);
  return {
    runId: String(runId),
    started_at: start.at,
    on_air_at: own.find(({ kind, data }) => kind === 'started' && data['runId'] === runId)?.at ?? null,
    ended_at: ending?.at ?? next?.at ?? null,
  };
}

export function runReport(facts: ReportFacts): WholeReport {
  const { livestream, zone, from, to, run, events } = facts;
  const within = { fromMs: Date.parse(from), toMs: Date.parse(to) };
  const missed = missedSpans(events, within).map((span) =>
    Object.assign(span, { viewers: mostIn(facts.audience, span) }),
  );
  const shown = events.filter(({ at }) => at >= from && at <= to);
  const report = {
    livestreamId: livestream.id,
    name: livestream.name,
    zone,
    run,
    from,
    to,
    missed_seconds: secondsIn(spansForAll(missed), within),
    missed,
    orders: facts.orders.map(({ at, user, via, client, operation, outcome, changed }) => {
      return { at, user, via, client: client ?? null, operation, outcome, changed };
    }),
    destinations: destinationsOf(facts, missed),
    timeline: shown.map((event) => {
      const { at, kind, severity, message, data } = event;
      const since = instantField.safeParse(data['since']).data ?? null;
      return { at, since, part: partOf(event), kind, severity, message };
    }),
    actions: facts.actions.map(({ id, execute_at, type, status, error }) => {
      return { actionId: id, at: execute_at, type, status, error };
    }),
    occurrences: facts.occurrences.map(({ scheduleId, occurrence_start, occurrence_end, state }) => {
      return { scheduleId, start: occurrence_start, end: occurrence_end, state };
    }),
    recordings: facts.recordings.map(({ id, name, status, duration_seconds }) => {
      return { recordingId: id, name, status, duration_seconds };
    }),
  };
  return { ...report, verdict: verdictOf(report, facts.audience, events) };
}

function mostIn(audience: readonly Peak[], { from, to }: Pick<Missed, 'from' | 'to'>): number | null {
  const endMs = Date.parse(to) + MINUTE_MS;
  const minutes = audience.filter(({ at }) => Date.parse(at) > Date.parse(from) && Date.parse(at) < endMs);
  return minutes.length === 0 ? null : Math.max(...minutes.map(({ peak }) => peak));
}

function destinationsOf(
  { events, names, from, to }: ReportFacts,
  missed: readonly Missed[],
): WholeReport['destinations'] {
  const within = { fromMs: Date.parse(from), toMs: Date.parse(to) };
  const outputEvents = events.filter(({ kind }) => kind.startsWith('destination_'));
  const idOf = ({ data }: Event): number | undefined =>
    typeof data['publishingId'] === 'number' ? data['publishingId'] : undefined;
  const ids = [...new Set(outputEvents.flatMap((event) => idOf(event) ?? []))].sort((a, b) => a - b);
  return ids.map((publishingId) => {
    const own = outputEvents.filter((event) => idOf(event) === publishingId);
    const paths = (['primary', 'backup'] as const).filter((path) => own.some(({ data }) => data['path'] === path));
    const spans = spansOfDestination(missed, publishingId, paths);
    const down_seconds = secondsIn(spans, within);
    return { publishingId, name: names.get(publishingId) ?? null, outages: spans.length, down_seconds };
  });
}

const PARTS: readonly [beginning: RegExp, part: WholeReport['timeline'][number]['part']][] = [
  [/^(?:start|stop|acknowledged)/u, 'order'],
  [/^destination_/u, 'destination'],
  [/^(?:encoder_|behind|adopted)/u, 'encoder'],
  [/^(?:recording_|clip_)/u, 'recording'],
  [/^(?:schedule_|action_)/u, 'schedule'],
  [/^(?:device_|run_|store_)/u, 'device'],
  [/^runtime_/u, 'change'],
];

/** All other kinds are about the source. */
function partOf({ kind, data }: Event): WholeReport['timeline'][number]['part'] {
  if (kind === 'failover' && data['publishingId'] !== undefined) return 'destination';
  if (kind === 'runtime_changed' && data['change'] === 'cue') return 'cue';
  return PARTS.find(([beginning]) => beginning.test(kind))?.[1] ?? 'source';
}
