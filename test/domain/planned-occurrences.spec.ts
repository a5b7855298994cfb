/** Planned occurrences, kept from one question to the next, against those that each Schedule has by its calendar. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { occurrencesIn, RECURRENCE_TYPES } from '../../domain/time/recurrence.ts';
import { plannedBetween, PlannedWindows, type Occurring } from '../../domain/rules/schedules/planned-occurrences.ts';
import { seriesOf, type Schedule } from '../../domain/shapes/schedules/schedule.ts';
import { countOf } from '../helpers/counts.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const BEGIN_MS = Date.UTC(2026, 0, 1);
/** Zones whose clocks change in spring, in autumn, by half an hour, and never; one has left out a day of the calendar. */
const ZONES = ['UTC', 'Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kolkata'];
const ROUNDS = countOf(60, 1500);

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function rowOf(id: number, random: (below: number) => number): Readonly<Schedule> {
  const startMs = BEGIN_MS - 200 * DAY_MS + random(500) * DAY_MS + random(24 * 60) * 60_000;
  const type = RECURRENCE_TYPES[random(RECURRENCE_TYPES.length)]!;
  const lengthMs = (type === 'none' && random(3) === 0 ? random(30) * DAY_MS : 0) + (1 + random(23)) * HOUR_MS;
  const iso = (ms: number): string => new Date(ms).toISOString();
  const until = random(3) === 0 ? iso(startMs + random(400) * DAY_MS) : null;
  return Object.freeze({
    id,
    livestreamId: 1 + random(5),
    start: iso(startMs),
    end: iso(startMs + lengthMs),
    recurrence: { type, interval: 1 + random(3), until },
    timezone: ZONES[random(ZONES.length)]!,
    enabled: random(5) > 0,
    effective_from: iso(startMs - DAY_MS + random(100) * DAY_MS * random(2)),
  }) as never;
}

/** One by one, by the calendar alone. */
function expectedOf(rows: readonly Readonly<Schedule>[], fromMs: number, toMs: number): Occurring[] {
  return rows.flatMap((row) => {
    const series = seriesOf(row);
    const afterMs = Math.max(fromMs, Date.parse(row.effective_from));
    const earliestMs = afterMs - (series.endMs - series.startMs) - DAY_MS;
    return [...(row.enabled ? occurrencesIn(series, earliestMs, toMs) : [])]
      .filter(({ endMs }) => endMs > afterMs)
      .map((occurrence) => ({
        scheduleId: row.id,
        livestreamId: row.livestreamId,
        ...occurrence,
        state: 'planned' as const,
      }));
  });
}

const keysOf = (occurrences: readonly Occurring[]): string[] =>
  occurrences.map(({ scheduleId, livestreamId, startMs, endMs }) =>
    [startMs, scheduleId, livestreamId, endMs].join(' '),
  );

describe('planned occurrences', () => {
  it(`windows that are kept hold in ${ROUNDS} rounds what the calendars say, while Schedules come, change, pause and go`, () => {
    const random = randomOf(38);
    const windows = new PlannedWindows();
    let rows = Array.from({ length: 40 }, (_, at) => rowOf(at + 1, random));
    let nextId = rows.length + 1;
    let nowMs = BEGIN_MS;
    for (let round = 0; round < ROUNDS; round += 1) {
      const at = random(rows.length);
      const change = random(5);
      if (change === 0) rows = rows.filter((_, index) => index !== at);
      if (change === 1) rows = [...rows, rowOf(nextId++, random)];
      if (change === 2) rows = rows.map((row, index) => (index === at ? rowOf(row.id, random) : row));
      if (change === 3) rows = rows.map((row, index) => (index === at ? { ...row, enabled: !row.enabled } : row));
      // A clock moves on by minutes, jumps, and is set back.
      nowMs += [60_000, 60_000, 40 * DAY_MS, -5 * DAY_MS][random(4)]!;
      const toMs = nowMs + [DAY_MS, 7 * DAY_MS, HOUR_MS][random(3)]!;
      const found = windows.between(rows, nowMs, toMs, 20_001);
      const expected = keysOf(expectedOf(rows, nowMs, toMs)).sort();
      assert.deepEqual(keysOf(found).sort(), expected, `round ${round}`);
      assert.deepEqual(keysOf(plannedBetween(rows, nowMs, toMs)).sort(), expected, `round ${round}, without windows`);
      assert.deepEqual(
        found.map(({ startMs }) => startMs),
        found.map(({ startMs }) => startMs).sort((a, b) => a - b),
      );
    }
  });

  it('what is cut off at the greatest number is asked for anew, and one window is no answer to a longer one', () => {
    const windows = new PlannedWindows();
    const random = randomOf(7);
    const daily = Array.from({ length: 30 }, (_, at) => {
      const start = new Date(BEGIN_MS + at * 1000).toISOString();
      const end = new Date(BEGIN_MS + at * 1000 + 60_000).toISOString();
      const recurrence = { type: 'daily', interval: 1, until: null } as const;
      return {
        ...rowOf(at + 1, random),
        start,
        end,
        recurrence,
        timezone: 'UTC',
        enabled: true,
        effective_from: start,
      };
    });
    // With the hour ahead that a window is kept for, there are thirty more.
    const toMs = BEGIN_MS + DAY_MS - HOUR_MS / 2;
    assert.equal(windows.between(daily, BEGIN_MS - 1, toMs, 40).length, 30);
    assert.equal(windows.between(daily, BEGIN_MS - 1, toMs + HOUR_MS, 1000).length, 60);
    assert.equal(windows.between(daily, BEGIN_MS - 1, toMs, 1000).length, 30);
    assert.ok(windows.between(daily, BEGIN_MS - 1, toMs + 30 * DAY_MS, 40).length >= 40, 'too many');
  });
});
