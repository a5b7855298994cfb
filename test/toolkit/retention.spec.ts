import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addEvent } from '../../domain/resources/event-log.ts';
import { systemClock } from '../../domain/clock.ts';
import { openStore } from '../../store/open.ts';
import { addAudit } from '../../toolkit/audit.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00.000Z');
const at = (daysAgo: number): string => new Date(NOW - daysAgo * DAY_MS).toISOString();

describe('what grows by itself stays bounded', () => {
  it('an audit entry takes older ones than a year away, a few at a time', async () => {
    const store = await openStore({ dir: '', clock: systemClock, kind: 'memory' });
    const entry = {
      user: 'a',
      token_kid: null,
      via: 'rest' as const,
      operation: 'x',
      resource: 'y',
      resource_id: null,
    };
    const rest = { outcome: 'ok', request_id: 'r', changed: [] };
    await store.tx((tx) => {
      for (const days of [900, 800, 700, 600, 500, 400, 300, 1])
        tx.insert('audit', { ...entry, ...rest, at: at(days) });
    });
    await store.tx((tx) => addAudit(tx, { ...entry, ...rest, at: at(0) }, NOW));
    assert.equal((await store.find('audit', {})).total, 5);
    await store.tx((tx) => addAudit(tx, { ...entry, ...rest, at: at(0) }, NOW));
    assert.deepEqual(
      (await store.find('audit', {})).rows.map((row) => row.at),
      [at(300), at(1), at(0), at(0)],
    );
    await store.close();
  });

  it('an event takes older ones than 90 days away', async () => {
    const store = await openStore({ dir: '', clock: systemClock, kind: 'memory' });
    for (const days of [200, 91, 89]) await store.tx((tx) => addEvent(tx, at(days), 1, 'started', 'info', 'On air.'));
    await store.tx((tx) => addEvent(tx, at(0), 1, 'stopped', 'info', 'Off.'));
    assert.deepEqual(
      (await store.find('events', {})).rows.map((row) => row.at),
      [at(89), at(0)],
    );
    await store.close();
  });
});
