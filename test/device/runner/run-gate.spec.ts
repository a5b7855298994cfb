/** The gate of a run, with real paths: what it keeps back, and which orders it takes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Gate } from '../../../domain/shapes/broadcasts/run-move.ts';
import type { OutputSpec, RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { AttemptHooks } from '../../../device/runner/outputs/attempt.ts';
import { isHeldBack } from '../../../device/runner/outputs/held-back.ts';
import { DestinationPath } from '../../../device/runner/outputs/destination-path.ts';
import type { Output } from '../../../device/runner/outputs/outputs.ts';
import { RunGate } from '../../../device/runner/run-gate.ts';
import { EventLog } from '../../../device/runner/process/event-log.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { testFolder } from '../../helpers/test-folder.ts';

test('a gate that is shut keeps back what has an address, and a Recording that has not begun; it opens and shuts, and refuses an order that comes late', async (t) => {
  const clock = new FakeClock();
  const log = join(testFolder(t, 'gate'), 'e.jsonl');
  const events = new EventLog(log, { runId: 'run-1', livestreamId: 5 }, clock, (text) => text);
  const spec = { gate: { primary: false, backup: false, epoch: 3 } } as RunSpec;
  const present = new Map<string, AttemptHooks>();
  const outputOf = (name: string, type: OutputSpec['type'], url: string | null = null): Output => {
    const own = { publishingId: 7, name, type, settings: { url } } as OutputSpec;
    const begin = (hooks: AttemptHooks) => {
      present.set(name, hooks);
      return { end: async () => void present.delete(name) };
    };
    const retry = { max_attempts: 3, initial_delay_ms: 1000, max_delay_ms: 1000 };
    const kept = (): boolean => isHeldBack(spec, own, 'primary');
    const which = { publishingId: 7, which: 'primary', enabled: true } as const;
    const path = { name, ...which, retry, begin, isHeld: kept, onChange: () => undefined };
    return { spec: own, primary: new DestinationPath(path, events, clock), backup: undefined };
  };
  const outputs = [
    outputOf('platform', 'RTMP', 'rtmp://cdn.example/live'),
    outputOf('own', 'HLS / TS'),
    outputOf('record', 'Record'),
  ];
  const stream = { hasStarted: true, startedAt: performance.now() + 3_600_000 };
  const gate = new RunGate(spec, outputs, stream);
  for (const { primary } of outputs) primary.start();
  assert.deepEqual([...present.keys()], ['own']);
  assert.equal(gate.report(true).ready, false, 'nobody can play it here yet');
  stream.startedAt = -12_001;
  assert.equal(gate.report(true).ready, true, 'it has been waited for long enough');
  stream.startedAt = performance.now() + 3_600_000;
  present.get('own')!.onUp();
  assert.deepEqual(gate.report(true), {
    primary: false,
    backup: false,
    epoch: 3,
    ready: true,
    through: false,
    primaries: false,
    backups: 'none',
  });

  const set = async (order: Gate): Promise<void> => {
    const done = gate.set(order);
    await new Promise((resolve) => setImmediate(resolve));
    for (const hooks of present.values()) hooks.onUp();
    await done;
  };
  await set({ primary: false, backup: true, epoch: 4 });
  assert.deepEqual([...present.keys()], ['own'], 'it has the backup paths, and not its place yet');
  await set({ primary: true, backup: true, epoch: 4 });
  assert.deepEqual([...present.keys()].sort(), ['own', 'platform', 'record']);
  assert.deepEqual([gate.isOpen, gate.report(true).through], [true, true]);
  await assert.rejects(gate.set({ primary: false, backup: false, epoch: 3 }), { code: 'conflict' });
  await set({ primary: false, backup: false, epoch: 5 });
  const kept = ['own', 'record'];
  assert.deepEqual([...present.keys()], kept, 'nothing goes out any more; it records until it ends');
  await outputs[0]!.primary.turn(true);
  assert.deepEqual([...present.keys()], kept, 'a path that is switched on waits for the gate');
});
