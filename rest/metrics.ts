/** What the service says of itself in the Prometheus text format 0.0.4. Counted here: REST calls and nothing else. */
import { performance } from 'node:perf_hooks';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Seconds; a read takes under 1 ms, a start that waits for media up to 30 s. */
const BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30] as const;

/** Counts of one operation. `outcome` is `ok` or the code of the problem. */
export interface OperationMeter {
  record(outcome: string, seconds: number): void;
}

export interface Meters {
  meter(operation: string): OperationMeter;
  /** `up` tells whether writes are accepted. */
  text(up: boolean, version: string): string;
}

class Meter implements OperationMeter {
  readonly outcomes = new Map<string, number>();
  readonly buckets = new Array<number>(BOUNDS.length).fill(0);
  count = 0;
  sum = 0;

  record(outcome: string, seconds: number): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    this.count += 1;
    this.sum += seconds;
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
  }
}

export function createMeters(): Meters {
  const meters = new Map<string, Meter>();
  const startedAtSeconds = Date.now() / 1000 - process.uptime();

  return {
    meter(operation) {
      const known = meters.get(operation) ?? new Meter();
      meters.set(operation, known);
      return known;
    },
    text(up, version) {
      const used = [...meters].filter(([, meter]) => meter.count > 0);
      const memory = process.memoryUsage();
      const cpu = process.cpuUsage();
      return [
        family('onair_info', 'gauge', 'Version of the service.', [`{version="${escapeLabel(version)}"} 1`]),
        family('onair_store_writable', 'gauge', '1 when the store accepts writes.', [` ${up ? 1 : 0}`]),
        family('process_start_time_seconds', 'gauge', 'Start of the process, Unix time.', [
          ` ${startedAtSeconds.toFixed(3)}`,
        ]),
        family('process_cpu_seconds_total', 'counter', 'User and system CPU time.', [
          ` ${(cpu.user + cpu.system) / 1e6}`,
        ]),
        family('process_resident_memory_bytes', 'gauge', 'Resident memory.', [` ${memory.rss}`]),
        family('nodejs_heap_used_bytes', 'gauge', 'JavaScript heap in use.', [` ${memory.heapUsed}`]),
        family('nodejs_eventloop_busy_seconds_total', 'counter', 'Time that the event loop was busy.', [
          ` ${performance.eventLoopUtilization().active / 1000}`,
        ]),
        family('onair_rest_calls_total', 'counter', 'REST calls by operation and outcome.', used.flatMap(callLines)),
        family(
          'onair_rest_call_seconds',
          'histogram',
          'Duration of REST calls by operation.',
          used.flatMap(histogramLines),
        ),
      ].join('');
    },
  };
}

/** `samples` are what follows the name of the family. */
function family(name: string, type: string, help: string, samples: string[]): string {
  if (samples.length === 0) return '';
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map((sample) => `${name}${sample}\n`).join('')}`;
}

function callLines([operation, meter]: [string, Meter]): string[] {
  return [...meter.outcomes].map(([outcome, count]) => `{operation="${operation}",outcome="${outcome}"} ${count}`);
}

function histogramLines([operation, meter]: [string, Meter]): string[] {
  let below = 0;
  const buckets = BOUNDS.map((bound, index) => {
    below += meter.buckets[index] ?? 0;
    return `_bucket{operation="${operation}",le="${bound}"} ${below}`;
  });
  return [
    ...buckets,
    `_bucket{operation="${operation}",le="+Inf"} ${meter.count}`,
    `_sum{operation="${operation}"} ${meter.sum}`,
    `_count{operation="${operation}"} ${meter.count}`,
  ];
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/gu, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}
