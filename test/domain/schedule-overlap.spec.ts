/** Overlaps against brute force: every occurrence of one beside every occurrence of the other. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  occurrencesIn,
  RECURRENCE_TYPES,
  minPeriodDays,
  type Occurrence,
  type Series,
} from '../../domain/time/recurrence.ts';
import { firstOverlap, type Planned } from '../../domain/shapes/schedules/schedule-overlap.ts';
import { countOf } from '../helpers/counts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BEGIN_MS = Date.UTC(2026, 0, 1);
const ZONES = ['UTC', 'Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function seriesOf(random: (below: number) => number): Planned {
  const type = RECURRENCE_TYPES[random(RECURRENCE_TYPES.length)]!;
  const interval = 1 + random(5);
  const startMs = BEGIN_MS + random(60) * DAY_MS + random(96) * 900_000;
  const longestHours = Math.min(minPeriodDays(type, interval) * 24, 30);
  // Long and short, so that about as many pairs meet as do not.
  const endMs = startMs + (random(3) > 0 ? 1 + random(longestHours) : 1) * HOUR_MS;
  const lastMs = random(3) === 0 ? startMs + random(120) * DAY_MS : null;
  const series: Series = { startMs, endMs, type, interval, untilMs: lastMs, timezone: ZONES[random(ZONES.length)]! };
  const all = [...occurrencesIn(series, 0, BEGIN_MS + 100 * DAY_MS)];
  const without = new Set(all.filter(() => random(4) === 0).map((each) => each.startMs));
  return { series, without };
}

/** Instant at which the two first overlap. */
function bruteForce(a: Planned, b: Planned, fromMs: number): number | undefined {
  const all = ({ series, without }: Planned): Occurrence[] =>
    [...occurrencesIn(series, 0, BEGIN_MS + 800 * DAY_MS)].filter(({ startMs }) => !without.has(startMs));
  const others = all(b);
  const meetings = all(a).flatMap((one) =>
    others
      .filter((two) => one.startMs < two.endMs && two.startMs < one.endMs && Math.min(one.endMs, two.endMs) > fromMs)
      .map((two) => Math.max(one.startMs, two.startMs)),
  );
  return meetings.length === 0 ? undefined : Math.min(...meetings);
}

describe('the first overlap of two series', () => {
  it('the first overlap of two series is that of brute force, for random rules, zones, skips and beginnings', () => {
    let met = 0;
    const pairs = countOf(500, 3000);
    for (let seed = 1; seed <= pairs; seed += 1) {
      const random = randomOf(seed);
      for (let warm = 0; warm < 4; warm += 1) random(2);
      const [a, b] = [seriesOf(random), seriesOf(random)];
      const fromMs = BEGIN_MS + random(90) * DAY_MS;
      const found = firstOverlap(a, b, fromMs);
      const wanted = bruteForce(a, b, fromMs);
      const message = `seed ${seed}: ${JSON.stringify([a.series, b.series])}`;
      assert.equal(found && Math.max(found[0].startMs, found[1].startMs), wanted, message);
      assert.equal(firstOverlap(b, a, fromMs) === undefined, wanted === undefined, message);
      if (wanted !== undefined) met += 1;
    }
    assert.ok(met > pairs / 6 && met < (pairs * 5) / 6, `${met} of ${pairs} met: the pairs must be of both kinds`);
  });

  it('the first overlap of two series is found where long intervals meet after years; two that touch do not overlap', () => {
    const rule = (type: Series['type'], interval: number, day: number): Planned => {
      const startMs = BEGIN_MS + day * DAY_MS;
      const series = { startMs, endMs: startMs + HOUR_MS, type, interval, untilMs: null, timezone: 'UTC' };
      return { series, without: new Set() };
    };
    // Every 47 days and every 51 weeks: both fall on day 357 n + 1 where that is a multiple of 47.
    const meeting = firstOverlap(rule('daily', 47, 0), rule('weekly', 51, 1), BEGIN_MS);
    assert.ok(meeting !== undefined && meeting[0].startMs > BEGIN_MS + 4 * 365 * DAY_MS, JSON.stringify(meeting));
    assert.equal(firstOverlap(rule('daily', 2, 0), rule('daily', 2, 1), BEGIN_MS), undefined);
    assert.equal(firstOverlap(rule('daily', 1, 0), rule('daily', 1, 1 / 24), BEGIN_MS), undefined);
  });
});
