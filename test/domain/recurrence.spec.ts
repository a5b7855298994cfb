/** Occurrences against an independent implementation: rrule counts the days, luxon reads the clocks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DateTime } from 'luxon';
import rrule from 'rrule';
import { nextOccurrence, occurrencesIn, RECURRENCE_TYPES, type Series } from '../../domain/time/recurrence.ts';
import { instantOf, wallAt } from '../../domain/time/zone.ts';
import { countOf, someOf } from '../helpers/counts.ts';

const { RRule } = rrule;
const DAY_MS = 86_400_000;
const RULES = countOf(250, 10_000);

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The first instant of a local time; of one in a gap, the instant at which the gap ends. */
function expectedInstant(local: DateTime, zone: string): number {
  const { year, month, day, hour, minute, second } = local;
  const found = DateTime.fromObject({ year, month, day, hour, minute, second }, { zone });
  const shown = found.hour === hour && found.minute === minute && found.day === day;
  if (shown) return Math.min(...found.getPossibleOffsets().map((each) => each.toMillis()));
  // In a gap: the minute before which the clock has not jumped yet.
  let at = local.toUTC().minus({ days: 3 }).startOf('hour');
  const wanted = local.toMillis();
  const clock = (instant: DateTime): number => instant.setZone(zone).setZone('utc', { keepLocalTime: true }).toMillis();
  for (const step of [{ hours: 1 }, { minutes: 1 }, { seconds: 1 }])
    while (clock(at.plus(step)) <= wanted) at = at.plus(step);
  return clock(at) === wanted ? at.toMillis() : at.plus({ seconds: 1 }).toMillis();
}

function ruleOf({ type, interval, startMs, timezone }: Series): { between(from: Date, to: Date): Date[] } {
  const local = DateTime.fromMillis(startMs, { zone: timezone }).setZone('utc', { keepLocalTime: true });
  const days = { workdays: [0, 1, 2, 3, 4], weekend: [5, 6] } as const;
  const byweekday = type === 'workdays' || type === 'weekend' ? { byweekday: [...days[type]] } : {};
  const freq = type === 'daily' ? RRule.DAILY : RRule.WEEKLY;
  const rule = new RRule({ freq, interval, dtstart: local.toJSDate(), wkst: RRule.MO, ...byweekday });
  return { between: (from, to) => rule.between(from, to, true) };
}

function expectedOf(series: Series, fromMs: number, toMs: number): number[] {
  const { startMs, untilMs, timezone, type } = series;
  const inWindow = (ms: number): boolean =>
    ms >= fromMs && ms >= startMs && ms < toMs && (untilMs === null || ms < untilMs);
  if (type === 'none') return [startMs].filter(inWindow);
  return ruleOf(series)
    .between(new Date(fromMs - 3 * DAY_MS), new Date(toMs + 3 * DAY_MS))
    .map((date) => expectedInstant(DateTime.fromJSDate(date, { zone: 'utc' }), timezone))
    .filter(inWindow);
}

/** Days of 2026 on which the clock of a zone is changed. */
function edges(zone: string): number[] {
  const days = Array.from({ length: 364 }, (_, day) => Date.UTC(2026, 0, 1) + day * DAY_MS);
  const offset = (ms: number): number => DateTime.fromMillis(ms, { zone }).offset;
  return days.filter((day) => offset(day) !== offset(day + DAY_MS));
}

describe('occurrences', () => {
  it(`occurrences are those of ${RULES} random rules, zones and years`, () => {
    const zones = Intl.supportedValuesOf('timeZone');
    for (let seed = 1; seed <= RULES; seed += 1) {
      const random = randomOf(seed);
      for (let warm = 0; warm < 4; warm += 1) random(2);
      const timezone = zones[random(zones.length)]!;
      const startMs = Date.UTC(1975 + random(60), random(12), 1 + random(28), random(24), 15 * random(4));
      const series: Series = {
        startMs,
        endMs: startMs + (1 + random(20)) * 3_600_000,
        timezone,
        type: RECURRENCE_TYPES[random(RECURRENCE_TYPES.length)]!,
        interval: 1 + random(4),
        untilMs: random(3) === 0 ? startMs + random(400) * DAY_MS : null,
      };
      const fromMs = startMs - 5 * DAY_MS + random(500) * DAY_MS;
      const toMs = fromMs + (1 + random(40)) * DAY_MS;
      const found = [...occurrencesIn(series, fromMs, toMs)].map((each) => each.startMs);
      const expected = expectedOf(series, fromMs, toMs);
      const isoOf = (all: number[]): string[] => all.map((ms) => new Date(ms).toISOString());
      assert.deepEqual(isoOf(found), isoOf(expected), `seed ${seed}: ${JSON.stringify(series)}`);
    }
  });

  it('occurrences are those of both edges of daylight saving, in each zone that has them', () => {
    const zones = Intl.supportedValuesOf('timeZone').filter((zone) => {
      const offset = (month: number): number => DateTime.utc(2026, month, 1).setZone(zone).offset;
      return offset(1) !== offset(7);
    });
    assert.ok(zones.length > 100);
    for (const timezone of someOf(zones, 40)) {
      const days = edges(timezone);
      for (const minutes of [0, 30, 60, 90, 120, 150, 180]) {
        const startMs = instantOf(Date.UTC(2025, 11, 30) + minutes * 60_000, timezone);
        const series: Series = {
          startMs,
          endMs: startMs + 3_600_000,
          type: 'daily',
          interval: 1,
          untilMs: null,
          timezone,
        };
        for (const edge of days) {
          const [fromMs, toMs] = [edge - 2 * DAY_MS, edge + 3 * DAY_MS];
          assert.deepEqual(
            [...occurrencesIn(series, fromMs, toMs)].map((each) => each.startMs),
            expectedOf(series, fromMs, toMs),
            `${timezone} ${minutes}`,
          );
        }
      }
    }
  });

  it('occurrences keep the wall clock, skip what does not exist, and run once what comes twice', () => {
    const timezone = 'Europe/Zurich';
    const at = (text: string): number => Date.parse(text);
    const nightly = { type: 'daily', interval: 1, untilMs: null, timezone } as const;
    const series: Series = { ...nightly, startMs: at('2026-03-27T01:30:00Z'), endMs: at('2026-03-27T03:00:00Z') };
    const show = (from: string, to: string): string[][] =>
      [...occurrencesIn(series, at(from), at(to))].map(({ startMs, endMs }) => [
        new Date(startMs).toISOString(),
        new Date(endMs).toISOString(),
      ]);
    assert.deepEqual(show('2026-03-28T00:00:00Z', '2026-03-31T00:00:00Z'), [
      ['2026-03-28T01:30:00.000Z', '2026-03-28T03:00:00.000Z'],
      // 02:30 does not exist: the next valid instant, 03:00.
      ['2026-03-29T01:00:00.000Z', '2026-03-29T02:00:00.000Z'],
      ['2026-03-30T00:30:00.000Z', '2026-03-30T02:00:00.000Z'],
    ]);
    assert.deepEqual(show('2026-10-25T00:00:00Z', '2026-10-26T00:00:00Z'), [
      // 02:30 comes twice: the first.
      ['2026-10-25T00:30:00.000Z', '2026-10-25T03:00:00.000Z'],
    ]);
    const short: Series = { ...nightly, startMs: at('2026-03-27T01:05:00Z'), endMs: at('2026-03-27T01:35:00Z') };
    const moved = nextOccurrence(short, at('2026-03-29T00:00:00Z'));
    assert.deepEqual(moved, { startMs: at('2026-03-29T01:00:00Z'), endMs: at('2026-03-29T01:30:00Z') });
  });

  it('occurrences end at until, and a series that is over has none', () => {
    const startMs = Date.UTC(2026, 0, 5, 10);
    const series: Series = {
      startMs,
      endMs: startMs + 3_600_000,
      type: 'workdays',
      interval: 1,
      timezone: 'UTC',
      untilMs: Date.UTC(2026, 0, 7, 10),
    };
    assert.equal([...occurrencesIn(series, 0, Date.UTC(2030))].length, 2);
    assert.equal(nextOccurrence(series, Date.UTC(2026, 0, 7)), undefined);
    assert.equal(wallAt(startMs, 'Asia/Kathmandu') - startMs, 5.75 * 3_600_000);
  });
});
