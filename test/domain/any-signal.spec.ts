import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { anySignal } from '../../domain/base/any-signal.ts';
import { until } from '../helpers/until.ts';

const LIMIT_MS = 100;

it('a time limit beside another signal comes to its end, whatever the garbage collector takes in between', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const caller = new AbortController();
  const signals = [1, 2, 3].map(() => anySignal([caller.signal, AbortSignal.timeout(LIMIT_MS)]));
  const ended: unknown[] = [];
  for (const signal of signals) signal.addEventListener('abort', () => ended.push(signal.reason));
  await until('the end of all', () => {
    collect();
    return ended.length === signals.length;
  });
  assert.deepEqual(
    ended.map((reason) => (reason as DOMException).name),
    ['TimeoutError', 'TimeoutError', 'TimeoutError'],
  );
});

it('the first of several signals ends with its own reason', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const signal = anySignal([one.signal, other.signal]);
  other.abort('gone');
  assert.equal(signal.reason, 'gone');
  assert.equal(anySignal([one.signal, other.signal]).aborted, true, 'one that has ended already');
});
