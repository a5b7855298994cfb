/** When a Destination is left to its backup path. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OutputSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';
import type { AttemptHooks } from '../../../device/runner/outputs/attempt.ts';
import { failoverWatch } from '../../../device/runner/outputs/backup-watch.ts';
import { DestinationPath } from '../../../device/runner/outputs/destination-path.ts';
import { EventLog } from '../../../device/runner/process/event-log.ts';
import type { Output } from '../../../device/runner/outputs/outputs.ts';
import { itLong } from '../../helpers/counts.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import type { TestScope } from '../../helpers/clean-up.ts';

interface Stage {
  output: Output;
  /** The report on the present attempt of each path. */
  hooks: Record<'primary' | 'backup', AttemptHooks>;
  clock: FakeClock;
  failovers(): RunEvent[];
  settle(): Promise<void>;
}

function stage(t: TestScope): Stage {
  const clock = new FakeClock();
  const dir = testFolder(t, 'failover');
  const file = join(dir, 'events.jsonl');
  const events = new EventLog(file, { runId: 'run-1', livestreamId: 5 }, clock, (text) => text);
  const hooks = {} as Stage['hooks'];
  const retry = { max_attempts: 3, initial_delay_ms: 1000, max_delay_ms: 1000 };
  const look = failoverWatch(() => output, events);
  const path = (which: 'primary' | 'backup'): DestinationPath => {
    const begin = (own: AttemptHooks) => {
      hooks[which] = own;
      return { end: () => Promise.resolve() };
    };
    const onChange = which === 'primary' ? look : () => undefined;
    return new DestinationPath(
      { name: 'CDN', publishingId: 7, which, enabled: true, retry, begin, onChange },
      events,
      clock,
    );
  };
  const output: Output = {
    spec: { publishingId: 7, name: 'CDN' } as OutputSpec,
    primary: path('primary'),
    backup: path('backup'),
  };
  const read = (): RunEvent[] =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
  return {
    output,
    hooks,
    clock,
    failovers: () => read().filter(({ kind }) => kind === 'failover'),
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

function bothUp({ output, hooks }: Stage): void {
  output.primary.start();
  output.backup!.start();
  hooks.primary.onUp();
  hooks.backup.onUp();
}

test('a primary that breaks down beside a backup that delivers is a failover, once for each time', async (t) => {
  const s = stage(t);
  bothUp(s);
  for (const times of [1, 2]) {
    s.hooks.primary.onDown('connection reset');
    await s.settle();
    assert.equal(s.failovers().length, times);
    s.clock.advance(5000);
    s.hooks.primary.onDown('refused');
    await s.settle();
    assert.equal(s.failovers().length, times, 'the next attempt that fails is no other failover');
    s.clock.advance(5000);
    s.hooks.primary.onUp();
  }
  const [event] = s.failovers();
  assert.deepEqual(event?.data, { publishingId: 7, from: 'primary', to: 'backup', reason: 'connection reset' });
  assert.match(event?.message ?? '', /"CDN" is delivered by its backup path alone/u);
});

itLong('an operator’s change is no failover, nor is a loss that no backup covers', async (t) => {
  const s = stage(t);
  bothUp(s);
  await s.output.primary.turn(false);
  void s.output.primary.turn(true);
  await s.settle();
  s.hooks.primary.onUp();
  void s.output.primary.renew();
  await s.settle();
  s.hooks.primary.onUp();
  assert.deepEqual(s.failovers(), []);
  s.hooks.backup.onDown('gone first');
  await s.settle();
  s.hooks.primary.onDown('gone too');
  await s.settle();
  assert.deepEqual(s.failovers(), []);
});
