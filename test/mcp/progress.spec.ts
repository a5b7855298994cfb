import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress } from '../../mcp/calls/progress.ts';
import type { McpRequest, ProgressNotification } from '../../mcp/rpc.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

function requestWith(progressToken: unknown): { request: McpRequest; sent: ProgressNotification['params'][] } {
  const sent: ProgressNotification['params'][] = [];
  const params = { _meta: { progressToken } };
  const { signal } = new AbortController();
  return { request: { id: 1, params, signal, notify: (notification) => sent.push(notification.params) }, sent };
}

test('progress grows, or is not sent', () => {
  const { request, sent } = requestWith('a');
  const { progress, end } = createProgress(request);
  progress?.(0, 30, 'begun');
  progress?.(0, 30, 'begun');
  progress?.(2, 30, 'on');
  progress?.(1, 30, 'back');
  end();
  assert.deepEqual(sent, [
    { progressToken: 'a', progress: 0, total: 30, message: 'begun' },
    { progressToken: 'a', progress: 2, total: 30, message: 'on' },
  ]);
});

test('a caller that did not ask for progress is sent none', () => {
  for (const token of [undefined, null, {}, true]) {
    const { request, sent } = requestWith(token);
    const { progress, end } = createProgress(request);
    progress?.(0, 1, 'begun');
    end();
    assert.deepEqual(sent, []);
  }
});

test('a silent call is reported as running at intervals, and one that reports progress is not interrupted', () => {
  const clock = new FakeClock();
  const silent = requestWith(7);
  const speaking = requestWith(8);
  const reporters = [createProgress(silent.request, clock), createProgress(speaking.request, clock)];
  for (let second = 0; second < 12; second += 1) {
    reporters[1]?.progress?.(second, 30, 'begun');
    clock.advance(1000);
  }
  for (const { end } of reporters) end();
  clock.advance(60_000);
  assert.deepEqual(
    silent.sent.map(({ progress, message }) => [progress, message]),
    [
      [5, 'Still running after 5 seconds.'],
      [10, 'Still running after 10 seconds.'],
    ],
  );
  assert.deepEqual(new Set(speaking.sent.map(({ message }) => message)), new Set(['begun']));
});
