/** Times as people type them, at the command line. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTime, sayTime, type TimeContext } from '../../bin/times.ts';
import { AppError } from '../../domain/base/errors.ts';
import { wordsOf } from '../helpers/words.ts';

const ZURICH = 'Europe/Zurich';
/** A Wednesday, 14:00 in Zürich. */
const NOW = Date.parse('2026-11-25T13:00:00Z');
const at = (text: string, more: Partial<TimeContext> = {}): string =>
  new Date(parseTime(text, { nowMs: NOW, zone: ZURICH, ...more })).toISOString().replace('.000Z', 'Z');

describe('a typed time', () => {
  const CASES: [string, string][] = [
    ['tomorrow 20:00', '2026-11-26T19:00:00Z'],
    ['Tomorrow at 8pm', '2026-11-26T19:00:00Z'],
    ['today 9:30', '2026-11-25T08:30:00Z'],
    ['today 21:15:30', '2026-11-25T20:15:30Z'],
    ['2026-11-29 10:00', '2026-11-29T09:00:00Z'],
    ['2026-11-29T10:00:00', '2026-11-29T09:00:00Z'],
    ['2026-11-29T10:00:00Z', '2026-11-29T10:00:00Z'],
    ['2026-11-29T10:00:00.000Z', '2026-11-29T10:00:00Z'],
    ['2026-11-29 10:00 -05:00', '2026-11-29T15:00:00Z'],
    ['2026-11-29T10:00+0100', '2026-11-29T09:00:00Z'],
    ['+90m', '2026-11-25T14:30:00Z'],
    ['+1h30m', '2026-11-25T14:30:00Z'],
    ['+2d', '2026-11-27T13:00:00Z'],
    ['now', '2026-11-25T13:00:00Z'],
    ['20:00', '2026-11-25T19:00:00Z'],
    ['9:30', '2026-11-26T08:30:00Z'],
    ['12am', '2026-11-25T23:00:00Z'],
    ['wednesday 15:00', '2026-11-25T14:00:00Z'],
    ['wed 13:00', '2026-12-02T12:00:00Z'],
    ['sunday 10:00', '2026-11-29T09:00:00Z'],
  ];
  for (const [text, instant] of CASES)
    it(`${text} is ${instant} on a Wednesday at 14:00 in Zürich`, () => assert.equal(at(text), instant));

  const PAST: [string, string][] = [
    ['90s', '2026-11-25T12:58:30Z'],
    ['1h30m ago', '2026-11-25T11:30:00Z'],
    ['today 9:30', '2026-11-25T08:30:00Z'],
    ['yesterday 20:00', '2026-11-24T19:00:00Z'],
    ['yesterday', '2026-11-23T23:00:00Z'],
    ['friday 8pm', '2026-11-20T19:00:00Z'],
    ['wed 13:00', '2026-11-25T12:00:00Z'],
    ['9:30', '2026-11-25T08:30:00Z'],
    ['20:00', '2026-11-24T19:00:00Z'],
    ['2026-11-20', '2026-11-19T23:00:00Z'],
    ['2026-11-20 10:00', '2026-11-20T09:00:00Z'],
    ['2026-05-01T20:00Z', '2026-05-01T20:00:00Z'],
  ];
  it('as a time that has been is the last one, by the clock of the zone', () => {
    assert.deepEqual(
      PAST.map(([text]) => [text, at(text, { isPast: true })]),
      PAST,
    );
    for (const text of ['', 'soon', '10', '-5m', '+5m', '5 weeks'])
      assert.throws(() => at(text, { isPast: true, field: '--since' }), /--since: must be a time such as 10m, 9:30,/u);
  });

  it('+90m as an end counts from the start, and a time of day alone is the first after the start', () => {
    const startMs = Date.parse('2026-11-29T09:00:00Z');
    assert.equal(at('+90m', { startMs }), '2026-11-29T10:30:00Z');
    assert.equal(at('11:30', { startMs }), '2026-11-29T10:30:00Z');
    assert.equal(at('9:00', { startMs }), '2026-11-30T08:00:00Z');
  });

  it('a time of day that the clock skips or shows twice is refused, and what may be meant is named', () => {
    assert.throws(() => at('2027-03-28 02:30'), /skipped by the clock of Europe\/Zurich.*2027-03-28T03:00:00\+02:00/u);
    assert.throws(() => at('2026-10-25 02:30'), /comes twice.*2026-10-25T02:30:00\+02:00.*2026-10-25T02:30:00\+01:00/u);
  });

  it('tomorrow is the next day of the zone, not of UTC', () => {
    const zone = 'Pacific/Auckland';
    assert.equal(at('tomorrow 8:00', { zone }), '2026-11-26T19:00:00Z');
  });

  for (const text of [
    '',
    'soon',
    '25:00',
    '10:75',
    '13pm',
    '0am',
    '2026-02-30 10:00',
    ...wordsOf('2026-11-29 + +90 90m tomorrow -5m'),
    '2026-11-29 10:00 CET',
    '+9999999d',
    '10',
  ])
    it(`${JSON.stringify(text)} is refused with the forms that are taken`, () => {
      assert.throws(
        () => at(text, { field: '--start' }),
        (error) => {
          assert.ok(error instanceof AppError);
          assert.equal(error.code, 'invalid_input');
          assert.match(error.message, /--start: must be a time such as "tomorrow 20:00"/u);
          return true;
        },
      );
    });

  it('an answer says a time with its day and its zone', () => {
    assert.equal(sayTime(Date.parse('2026-11-29T09:00:00Z'), ZURICH), 'Sun 29 Nov 2026, 10:00 (Europe/Zurich)');
  });
});
