/** The Prometheus text format 0.0.4: families of samples as lines. */

export interface Sample {
  value: number;
  labels?: Readonly<Record<string, string | number>>;
  /** The suffix of a histogram's lines: `_bucket`, `_sum` or `_count`. */
  suffix?: string;
}

/** Answers no text when there is no sample, because a family without one says nothing. */
export function family(
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: readonly Sample[],
): string {
  if (samples.length === 0) return '';
  const lines = samples.map(({ value, labels, suffix = '' }) => `${name}${suffix}${labelsOf(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** Makes one sample for each of `states`: 1 for the present one, 0 for the others. */
export function oneHot(
  states: readonly string[],
  present: string,
  labels: Readonly<Record<string, string | number>>,
): Sample[] {
  return states.map((state) => ({ labels: { ...labels, state }, value: Number(state === present) }));
}

function labelsOf(labels: Sample['labels'] = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/gu, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

/** Counts durations below or at each bound, in seconds, as a histogram's lines need them. */
export class Durations {
  private readonly bounds: readonly number[];
  private readonly counts: number[];
  private observations = 0;
  private sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length).fill(0);
  }

  get count(): number {
    return this.observations;
  }

  add(seconds: number): void {
    this.observations += 1;
    this.sum += seconds;
    const bucket = this.bounds.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
  }

  samples(labels: Readonly<Record<string, string | number>>): Sample[] {
    let below = 0;
    const buckets = this.bounds.map((le, index): Sample => {
      below += this.counts[index] ?? 0;
      return { suffix: '_bucket', labels: { ...labels, le }, value: below };
    });
    return [
      ...buckets,
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: this.observations },
      { suffix: '_sum', labels, value: this.sum },
      { suffix: '_count', labels, value: this.observations },
    ];
  }
}
