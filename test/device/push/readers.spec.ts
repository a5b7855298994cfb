/** Media with which the readers of a pushed source begin, also the successor of one that died. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Readers, type Reader } from '../../../device/push/readers.ts';

class TestReader implements Reader {
  got: string[] = [];
  destroyed = false;
  readonly writableLength = 0;

  write(bytes: Buffer): boolean {
    this.got.push(bytes.toString());
    return true;
  }

  end(): void {
    this.destroyed = true;
  }
}

function scene() {
  const readers = new Readers();
  const beginning: Buffer[] = [Buffer.from('heads')];
  const stream = { beginning, isSettled: true, isOfOneFormat: false };
  /** A word in capitals is a keyframe. */
  const send = (...words: string[]): void => {
    for (const word of words) {
      const bytes = Buffer.from(word);
      const isStart = word === word.toUpperCase();
      if (isStart) beginning.splice(1);
      beginning.push(bytes);
      readers.send({ bytes, isStart, isHead: false }, stream);
    }
  };
  const join = (): TestReader => {
    const reader = new TestReader();
    readers.add(reader, stream);
    return reader;
  };
  return { readers, stream, send, join };
}

test('the successor of a reader that died begins with the keyframe before that, and others with the last one', () => {
  const { send, join } = scene();
  const first = join();
  send('A', 'a1', 'a2');
  assert.deepEqual(join().got, ['heads', 'A', 'a1', 'a2']);
  first.destroyed = true;
  send('a3', 'B', 'b1');
  const successor = join();
  assert.deepEqual(successor.got, ['heads', 'A', 'a1', 'a2', 'a3', 'B', 'b1']);
  send('b2');
  assert.equal(successor.got.at(-1), 'b2');
});

test('a successor that comes late, or behind other codecs, begins with the last keyframe', (t) => {
  const { readers, stream, send, join } = scene();
  const late = [join(), join()];
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  send('A', 'a1');
  late[0]!.destroyed = true;
  send('B');
  now += 3001;
  send('b1');
  assert.deepEqual(join().got, ['heads', 'B', 'b1']);
  late[1]!.destroyed = true;
  send('b2', 'C');
  readers.renew(stream);
  assert.deepEqual(join().got, ['heads', 'C']);
});
