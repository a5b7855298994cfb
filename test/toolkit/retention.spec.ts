import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toIso } from '../../domain/time/clock.ts';
import { addEvent } from '../../domain/rules/rows/event-log.ts';
import { openStore } from '../../store/open.ts';
import { addAudit } from '../../toolkit/audit.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

const DAY_MS = 86_400_000;

describe('bounds of what grows by itself', () => {
  it('an audit entry is kept for a year', async () => {
    const clock = new FakeClock();
    const store = await openStore({ clock, kind: 'memory' });
    const entry = {
      user: 'a',
      token_kid: null,
      via: 'rest' as const,
      operation: 'x',
      resource: 'y',
      resource_id: null,
      outcome: 'ok',
      request_id: 'r',
      changed: [],
    };
    const add = (): Promise<void> => store.tx((tx) => addAudit(tx, { ...entry, at: toIso(clock.now()) }));
    const first = clock.now();
    await add();
    clock.advance(100 * DAY_MS);
    await add();
    clock.advance(265 * DAY_MS - 1);
    assert.equal((await store.find('audit', {})).total, 2);
    clock.advance(1);
    assert.deepEqual(
      (await store.find('audit', {})).rows.map((row) => row.at),
      [toIso(first + 100 * DAY_MS)],
    );
    await store.close();
  });

  it('an event is kept for 90 days', async () => {
    const clock = new FakeClock();
    const store = await openStore({ clock, kind: 'memory' });
    const add = (): Promise<void> =>
      store.tx((tx) => addEvent(tx, toIso(clock.now()), 1, { kind: 'started', severity: 'info', message: 'On air.' }));
    await add();
    clock.advance(DAY_MS);
    await add();
    clock.advance(89 * DAY_MS);
    assert.deepEqual(
      (await store.find('events', {})).rows.map(({ id }) => id),
      [2],
    );
    await store.close();
  });
});
