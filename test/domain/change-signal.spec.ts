import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChangeSignal } from '../../domain/base/change-signal.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

describe('the wait for a condition', () => {
  it('the wait for a condition ends at once when it holds already, and without another look when the bound is 0', async () => {
    const changed = new ChangeSignal();
    const clock = new FakeClock();
    assert.equal(await changed.until(() => true, { clock, timeoutMs: 0 }), true);
    assert.equal(await changed.until(() => false, { clock, timeoutMs: 0 }), false);
  });

  it('the wait for a condition ends with the change that makes it true', async () => {
    const changed = new ChangeSignal();
    let count = 0;
    const reached = changed.until(() => count === 2, { clock: new FakeClock(), timeoutMs: 1000 });
    for (count = 1; count <= 2; count += 1) changed.notify();
    assert.equal(await reached, true);
  });

  it('the wait for a condition ends at its bound, and at an abort before that', async () => {
    const changed = new ChangeSignal();
    const clock = new FakeClock();
    const bounded = changed.until(() => false, { clock, timeoutMs: 1000 });
    clock.advance(1000);
    assert.equal(await bounded, false);
    const abort = new AbortController();
    const aborted = changed.until(() => false, { clock, timeoutMs: 1000, signal: abort.signal });
    abort.abort();
    assert.equal(await aborted, false);
    assert.equal(await changed.until(() => false, { clock, timeoutMs: 1000, signal: abort.signal }), false);
  });
});
