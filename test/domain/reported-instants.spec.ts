import assert from 'node:assert/strict';
import { it } from 'node:test';
import { instant } from '../../domain/reported/fields.ts';

it('an instant that a Device says is one that the calendar has', () => {
  for (const given of [
    '2026-11-30T21:04:48.737Z',
    '2026-02-28T23:59:59Z',
    '2024-02-29T00:00:00Z',
    '2026-12-31T23:00:00.123456789Z',
  ])
    assert.equal(instant(given), given);
  for (const given of [
    '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T00:60:00Z',
    '1969-12-31T23:59:59Z',
    '2026-01-01',
  ])
    assert.throws(() => instant(given), /instant of UTC/u, given);
});
