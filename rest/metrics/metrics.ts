/** The service in the Prometheus text format: REST calls, calls over all APIs, commits, and the process. */
import { monitorEventLoopDelay, performance, type IntervalHistogram } from 'node:perf_hooks';
import type { Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Via } from '../../domain/shapes/installation/security.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { Dispatcher } from '../../toolkit/dispatch.ts';
import { Durations, family, type Sample } from './exposition.ts';
import { DeviceClaims, sharingFamilies, type SharedDeps } from './sharing-metrics.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The bounds are seconds: a read takes under 1 ms, a start that waits for media up to 30 s. */
const BOUNDS = [0.001, 0.005, 0.025, 0.05, 0.1, 0.5, 2.5, 10, 30] as const;
/** Each sample wakes the process. */
const LOOP_RESOLUTION_MS = 50;
/** The figure for the event loop covers at least this long, however often it is read. */
const LOOP_WINDOW_MS = 60_000;
/** Collectors read every 15 s to every few minutes. */
const LOOP_UNREAD_MS = 600_000;

/** Counts the calls of one operation. `outcome` is `ok` or the code of the problem. */
export interface OperationMeter {
  record(outcome: string, seconds: number): void;
}

export interface Meters {
  /** The meter of an operation over REST, which also counts calls that never reach the operation (401, unknown paths). */
  meter(operation: string): OperationMeter;
  /** The dispatcher with every call over every API counted. */
  metered(dispatcher: Dispatcher): Dispatcher;
  /** Counts the commits of the store, and shows how many rows it has and who shares it. */
  watchStore(store: Pick<Store, 'onChange' | 'counts' | 'get'> & SharedDeps): void;
  /** `up` says whether writes are accepted. */
  text(up: boolean, version: string): string;
}

class Meter implements OperationMeter {
  readonly outcomes = new Map<string, number>();
  readonly durations = new Durations(BOUNDS);

  record(outcome: string, seconds: number): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    this.durations.add(seconds);
  }
}

export function createMeters(clock: Clock): Meters {
  const rest = new Map<string, Meter>();
  const calls = new Map<string, Meter>();
  const rateRefusals = new Map<Via, number>([
    ['rest', 0],
    ['mcp', 0],
  ]);
  let commits: number | undefined;
  const claims = new DeviceClaims();
  let watched: (Pick<Store, 'counts'> & SharedDeps) | undefined;
  const loopP99Seconds = loopDelay(clock);
  return {
    meter: (operation) => meterIn(rest, operation),
    metered: (dispatcher) => meteredDispatcher(dispatcher, calls, rateRefusals),
    watchStore(store) {
      commits ??= 0;
      watched = store;
      store.onChange((changes) => {
        commits = (commits ?? 0) + 1;
        for (const { collection, id } of changes) if (collection === 'deviceLinks') claims.look(store, id);
      });
    },
    text: (up, version) =>
      [
        family('onair_info', 'gauge', 'Version of the service.', [{ labels: { version }, value: 1 }]),
        family('onair_store_writable', 'gauge', '1 when the store accepts writes.', [{ value: up ? 1 : 0 }]),
        family(
          'onair_store_commits_total',
          'counter',
          'Commits that changed the store.',
          commits === undefined ? [] : [{ value: commits }],
        ),
        family(
          'onair_store_rows',
          'gauge',
          'Rows by collection; events, audit, idempotency, pastFirings and audienceMinutes are in files, all others in memory.',
          Object.entries(watched?.counts() ?? {}).map(([collection, value]) => ({ labels: { collection }, value })),
        ),
        watched === undefined ? '' : sharingFamilies(watched, claims),
        processFamilies(clock.now(), loopP99Seconds()),
        callFamilies(rest, calls, rateRefusals),
      ].join(''),
  };
}

function meterIn(meters: Map<string, Meter>, name: string): Meter {
  const meter = meters.get(name) ?? new Meter();
  meters.set(name, meter);
  return meter;
}

/** The dispatcher with every call recorded in `calls`, and those refused for their rate counted in `rateRefusals`. */
function meteredDispatcher(
  dispatcher: Dispatcher,
  calls: Map<string, Meter>,
  rateRefusals: Map<Via, number>,
): Dispatcher {
  const { operations, workflows } = dispatcher.catalogue;
  const names = new Set([...operations, ...workflows].map(({ name }) => name));
  const codeOf = (via: Via, error: unknown): string => {
    const code = error instanceof AppError ? error.code : 'internal';
    if (code === 'rate_limited') rateRefusals.set(via, (rateRefusals.get(via) ?? 0) + 1);
    return code;
  };
  return {
    ...dispatcher,
    async dispatch(call) {
      const startedMs = performance.now();
      let outcome = 'ok';
      try {
        return await dispatcher.dispatch(call);
      } catch (error) {
        outcome = codeOf(call.via, error);
        throw error;
      } finally {
        // A name that nobody knows is the caller's invention: as a label it would grow without bound.
        const name = names.has(call.operation) ? call.operation : 'unknown';
        meterIn(calls, name).record(`${call.via} ${outcome}`, (performance.now() - startedMs) / 1000);
      }
    },
    countCall(caller, via) {
      try {
        dispatcher.countCall(caller, via);
      } catch (error) {
        codeOf(via, error);
        throw error;
      }
    },
    async refuse(call, error) {
      const refusal = await dispatcher.refuse(call, error);
      codeOf(call.via, refusal);
      return refusal;
    },
  };
}

function callFamilies(rest: Map<string, Meter>, calls: Map<string, Meter>, rateRefusals: Map<Via, number>): string {
  const usedMeters = [...rest].filter(([, meter]) => meter.durations.count > 0);
  return [
    family('onair_rest_calls_total', 'counter', 'REST calls by operation and outcome.', usedMeters.flatMap(restLines)),
    family(
      'onair_rest_call_seconds',
      'histogram',
      'Duration of REST calls by operation.',
      usedMeters.flatMap(([operation, { durations }]) => durations.samples({ operation })),
    ),
    family('onair_calls_total', 'counter', 'Calls by operation, API and outcome.', [...calls].flatMap(callLines)),
    family(
      'onair_call_seconds',
      'histogram',
      'Duration of calls by operation, every API together.',
      [...calls].flatMap(([operation, { durations }]) => durations.samples({ operation })),
    ),
    family(
      'onair_rate_limited_calls_total',
      'counter',
      'Calls refused for the rate of their credential, by API.',
      [...rateRefusals].map(([via, value]) => ({ labels: { via }, value })),
    ),
  ].join('');
}

/**
 * Measures the 99th percentile of the time by which the event loop was late in the last minute or two. It begins with the first reading and
 * ends when nobody reads any more: a timer that measures wakes the process as often as all of its own work on an idle machine.
 */
function loopDelay(clock: Clock): () => number {
  let histogram: IntervalHistogram | undefined;
  let since = 0;
  let endUnread: () => void = () => undefined;
  return () => {
    endUnread();
    endUnread = clock.after(LOOP_UNREAD_MS, () => {
      histogram?.disable();
      histogram = undefined;
    });
    if (histogram === undefined) {
      histogram = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
      histogram.enable();
      since = performance.now();
    }
    const seconds = Math.max(0, histogram.percentile(99) / 1e6 - LOOP_RESOLUTION_MS) / 1000;
    if (performance.now() - since > LOOP_WINDOW_MS) {
      histogram.reset();
      since = performance.now();
    }
    return Number.isFinite(seconds) ? Number(seconds.toFixed(6)) : 0;
  };
}

function processFamilies(nowMs: number, loopP99Seconds: number): string {
  const memory = process.memoryUsage();
  const cpu = process.cpuUsage();
  const startedAtSeconds = Number((nowMs / 1000 - process.uptime()).toFixed(3));
  const busySeconds = performance.eventLoopUtilization().active / 1000;
  return [
    family('process_start_time_seconds', 'gauge', 'Start of the process, Unix time.', [{ value: startedAtSeconds }]),
    family('process_cpu_seconds_total', 'counter', 'User and system CPU time.', [
      { value: (cpu.user + cpu.system) / 1e6 },
    ]),
    family('process_resident_memory_bytes', 'gauge', 'Resident memory.', [{ value: memory.rss }]),
    family('nodejs_heap_used_bytes', 'gauge', 'JavaScript heap in use.', [{ value: memory.heapUsed }]),
    family('nodejs_eventloop_busy_seconds_total', 'counter', 'Time that the event loop was busy.', [
      { value: busySeconds },
    ]),
    family('nodejs_eventloop_delay_p99_seconds', 'gauge', '99th percentile of the event loop being late.', [
      { value: loopP99Seconds },
    ]),
  ].join('');
}

function restLines([operation, { outcomes }]: [string, Meter]): Sample[] {
  return [...outcomes].map(([outcome, value]) => ({ labels: { operation, outcome }, value }));
}

function callLines([operation, { outcomes }]: [string, Meter]): Sample[] {
  return [...outcomes].map(([key, value]) => {
    const [via = '', outcome = ''] = key.split(' ');
    return { labels: { operation, via, outcome }, value };
  });
}
