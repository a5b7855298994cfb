/** A strict reader of the Prometheus text format 0.0.4: throws on whatever a lenient one would let through. */
import assert from 'node:assert/strict';

export interface ReadSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}
export interface ReadFamily {
  name: string;
  type: string;
  help: string;
  samples: ReadSample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/u;
const VALUE = /^[-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|Inf|NaN)$/u;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/u;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/uy;

/** HELP, TYPE and the samples of each family together, once; counters end in _total; histograms add up. */
export function readExposition(text: string): Map<string, ReadFamily> {
  assert.ok(text.endsWith('\n'), 'the last line ends, too');
  const families = new Map<string, ReadFamily>();
  const lines = text.slice(0, -1).split('\n');
  let family: ReadFamily | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    const help = /^# HELP (\S+) (.+)$/u.exec(line);
    if (help !== null) {
      const type = /^# TYPE (\S+) (counter|gauge|histogram)$/u.exec(lines[(at += 1)] ?? '');
      const name = help[1]!;
      assert.ok(type?.[1] === name, `TYPE follows HELP of ${name}`);
      assert.match(name, NAME);
      assert.ok(!families.has(name), `${name} occurs once`);
      family = { name, type: type[2]!, help: help[2]!, samples: [] };
      families.set(name, family);
      continue;
    }
    const sample = readSample(line);
    assert.ok(family !== undefined && familyOf(sample.name, family) === family.name, `${line}: not in its family`);
    family.samples.push(sample);
  }
  for (const each of families.values()) checkFamily(each);
  return families;
}

function readSample(line: string): ReadSample {
  const [, name = '', inner, value = ''] = SAMPLE.exec(line) ?? assert.fail(`no sample: ${line}`);
  assert.match(value, VALUE, line);
  const labels: Record<string, string> = {};
  let at = 0;
  while (inner !== undefined && at < inner.length) {
    LABEL.lastIndex = at;
    const [all, key = '', text = ''] = LABEL.exec(inner) ?? assert.fail(`labels of ${line}`);
    assert.ok(!(key in labels), `${key} twice in ${line}`);
    labels[key] = text.replace(/\\(.)/gu, (_, character: string) => (character === 'n' ? '\n' : character));
    at += all.length;
  }
  return { name, labels, value: value.endsWith('Inf') ? Infinity : Number(value) };
}

function familyOf(name: string, { type }: ReadFamily): string {
  return type === 'histogram' ? name.replace(/_(?:bucket|sum|count)$/u, '') : name;
}

function checkFamily({ name, type, help, samples }: ReadFamily): void {
  assert.match(help, /^[A-Z0-9].*\.$/u, `${name}: the help is a sentence`);
  assert.ok(samples.length > 0, `${name} has samples`);
  assert.equal(name.endsWith('_total'), type === 'counter', `${name}: counters, and nothing else, end in _total`);
  assert.doesNotMatch(name, /_(?:ms|millis|kbps|kb|mb|percent)(?:_|$)/u, `${name}: base units`);
  const seen = samples.map((sample) => `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`);
  assert.equal(new Set(seen).size, seen.length, `${name}: no sample twice`);
  if (type === 'counter') for (const { value } of samples) assert.ok(value >= 0, name);
  if (type === 'histogram') checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: readonly ReadSample[]): void {
  const series = new Map<string, ReadSample[]>();
  for (const sample of samples) {
    const { le: _bound, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const [key, lines] of series) {
    const buckets = lines.filter((line) => line.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => (labels['le'] === '+Inf' ? Infinity : Number(labels['le'])));
    assert.deepEqual(
      bounds,
      [...bounds].sort((a, b) => a - b),
      `${name}${key}: bounds rise`,
    );
    assert.equal(bounds.at(-1), Infinity, `${name}${key}: ends with +Inf`);
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => a - b),
      `${name}${key}: counts rise`,
    );
    const count = lines.find((line) => line.name === `${name}_count`)?.value;
    assert.equal(count, counts.at(-1), `${name}${key}: +Inf counts all`);
    assert.ok(lines.some((line) => line.name === `${name}_sum`));
  }
}
