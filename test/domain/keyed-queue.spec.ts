import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { KeyedQueue } from '../../domain/base/keyed-queue.ts';

function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('keyed queue', () => {
  it('a keyed queue runs tasks of one key in the order in which they came, and those of other keys at once', async () => {
    const queue = new KeyedQueue<string>();
    const events: string[] = [];
    const first = gate();
    const runs = [
      queue.run(['a'], async () => {
        await first.opened;
        events.push('a1');
      }),
      queue.run(['a', 'b'], () => Promise.resolve(void events.push('a2 b1'))),
      queue.run(['c'], () => Promise.resolve(void events.push('c1'))),
      queue.run(['b'], () => Promise.resolve(void events.push('b2'))),
    ];
    await turn();
    assert.deepEqual(events, ['c1']);
    first.open();
    await Promise.all(runs);
    assert.deepEqual(events, ['c1', 'a1', 'a2 b1', 'b2']);
  });

  it('a keyed queue goes on after a task that fails, and rejects for its caller alone', async () => {
    const queue = new KeyedQueue<number>();
    const failed = queue.run([1], () => Promise.reject(new Error('refused')));
    const next = queue.run([1], () => Promise.resolve('done'));
    await assert.rejects(failed, /refused/u);
    assert.equal(await next, 'done');
  });

  it('a keyed queue lets the next task of a key begin when the one before has released it', async () => {
    const queue = new KeyedQueue<string>();
    const end = gate();
    const first = queue.run(['a'], async (release) => {
      release();
      await end.opened;
      return 'first';
    });
    assert.equal(await queue.run(['a'], () => Promise.resolve('second')), 'second');
    end.open();
    assert.equal(await first, 'first');
  });

  it('a keyed queue is busy with a key until its last task has ended, and then remembers nothing of it', async () => {
    const queue = new KeyedQueue<string>();
    const end = gate();
    void queue.run(['a'], () => end.opened);
    assert.equal(queue.isBusy('a'), true);
    assert.equal(queue.isBusy('b'), false);
    const drained = queue.drained('a').then(() => queue.isBusy('a'));
    end.open();
    assert.equal(await drained, false);
    await queue.drained('b');
  });
});
