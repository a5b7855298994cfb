/** Days and typed times of a zone, against luxon. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { dayStart, instantsIn, isZone, wallText } from '../../web/pages/scheduler/days.ts';

const ZONES = [
  'Europe/Zurich',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'UTC',
];
const instants = fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2030, 0, 1) });

describe('days and typed times of a zone', () => {
  it('a day begins where luxon has it begin, over changes of the clocks too', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...ZONES), fc.integer({ min: -10, max: 10 }), (instant, zone, days) => {
        const day = DateTime.fromMillis(instant, { zone }).startOf('day').plus({ days }).startOf('day');
        assert.equal(dayStart(instant, zone, days), day.toMillis());
      }),
    );
  });

  it('what a field shows names the minute that it was made of', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...ZONES), (instant, zone) => {
        const minute = Math.floor(instant / 60_000) * 60_000;
        const text = wallText(minute, zone);
        assert.equal(text, DateTime.fromMillis(minute, { zone }).toFormat("yyyy-MM-dd'T'HH:mm"));
        assert.ok(instantsIn(text, zone)?.includes(minute));
      }),
    );
  });

  it('a time that clocks skip names no instant, one that they repeat names two', () => {
    assert.deepEqual(instantsIn('2027-03-28T02:30', 'Europe/Zurich'), []);
    const twice = instantsIn('2026-10-25T02:30', 'Europe/Zurich');
    assert.deepEqual(twice, [Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 9, 25, 1, 30)]);
  });

  it('what is no time or no zone names nothing', () => {
    assert.equal(instantsIn('', 'UTC'), undefined);
    assert.equal(instantsIn('2026-10-25T02:30', 'Europe/Nowhere'), undefined);
    assert.deepEqual([isZone('Europe/Zurich'), isZone('Europe/Nowhere'), isZone('')], [true, false, false]);
  });
});
