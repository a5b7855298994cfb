/** The reasons that a past occurrence shows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reasonsOf } from '../../web/pages/scheduler/chosen/outcome.ts';

const START = '2027-01-01T20:00:00.000Z';
const event = (id: number, kind: string, data: Record<string, unknown> = {}, severity = 'warning') => ({
  id,
  at: START,
  kind,
  severity,
  message: `${kind} ${String(data['code'] ?? '')}`,
  data,
});

describe('what became of an occurrence', () => {
  it('its own reasons are told once each, the last ones, and nothing of another occurrence or that went well', () => {
    const own = { scheduleId: 4, occurrence_start: START };
    const events = [
      event(1, 'start_failed', { code: 'a' }),
      event(2, 'schedule_warning', { ...own, code: 'b' }),
      event(3, 'schedule_missed', { ...own, scheduleId: 5 }),
      event(4, 'schedule_missed', { ...own, occurrence_start: '2027-01-02T20:00:00.000Z' }),
      event(5, 'destination_retrying'),
      event(6, 'schedule_stopped', own, 'info'),
      event(7, 'start_failed', { code: 'a' }),
    ];
    assert.deepEqual(
      reasonsOf(events, { scheduleId: 4, start: START }).map(({ id }) => id),
      [2, 7],
    );
  });
});
