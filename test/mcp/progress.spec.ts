import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, ProgressNotification } from '../../mcp/calls/connection.ts';
import { createTeller } from '../../mcp/calls/progress.ts';

function asking(progressToken: unknown): { requests: Asked; messages: ProgressNotification['params'][] } {
  const messages: ProgressNotification['params'][] = [];
  const params = { _meta: { progressToken } };
  const { signal } = new AbortController();
  return {
    requests: { id: 1, params, signal, notify: (notification) => messages.push(notification.params) },
    messages,
  };
}

test('progress grows, or is not told', () => {
  const { requests: request, messages } = asking('a');
  const { progress, end } = createTeller(request);
  progress?.(0, 30, 'begun');
  progress?.(0, 30, 'begun');
  progress?.(2, 30, 'on');
  progress?.(1, 30, 'back');
  end();
  assert.deepEqual(messages, [
    { progressToken: 'a', progress: 0, total: 30, message: 'begun' },
    { progressToken: 'a', progress: 2, total: 30, message: 'on' },
  ]);
});

test('who did not ask is told nothing', () => {
  for (const token of [undefined, null, {}, true]) {
    const { requests: request, messages } = asking(token);
    const { progress, end } = createTeller(request);
    progress?.(0, 1, 'begun');
    end();
    assert.deepEqual(messages, []);
  }
});

/** Real time: a beat that is put off is a matter of Node's own timers. */
test('a call that says nothing is told to be running, one that speaks is not interrupted', async () => {
  const silent = asking(7);
  const speaking = asking(8);
  const tellers = [createTeller(silent.requests), createTeller(speaking.requests)];
  for (let second = 0; second < 30 && silent.messages.length === 0; second += 1) {
    tellers[1]?.progress?.(second, 30, 'begun');
    await sleep(1000);
  }
  for (const { end } of tellers) end();
  const [first] = silent.messages;
  assert.deepEqual([first?.progress, first?.message], [5, 'Still running after 5 seconds.']);
  assert.deepEqual(new Set(speaking.messages.map(({ message }) => message)), new Set(['begun']));
});
