/** A reader of the feed that is slow, or reads nothing at all. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FeedReader, type Credential } from '../../../rest/feed/feed-reader.ts';

const KB = 1024;
const credential: Credential = {
  caller: { username: 'ana', role: 2, tokenKid: null },
  follows: [],
  expiresMs: () => undefined,
  check: () => Promise.resolve(undefined),
};
const chunk = (name: string, size = 100 * KB): Uint8Array => Buffer.from(name.padEnd(size, '.'));

describe('a slow reader of the feed', () => {
  let reader: FeedReader;
  let calls: string[];
  let stream: ReadableStreamDefaultReader<Uint8Array>;

  beforeEach(() => {
    calls = [];
    reader = new FeedReader({
      credential,
      cut: () => calls.push('cut'),
      onRoom: (self) => {
        calls.push('room');
        self.sendSnapshot([chunk('snapshot')]);
      },
      onGone: () => calls.push('gone'),
    });
    stream = reader.stream.getReader();
  });

  async function readAll(count: number): Promise<string[]> {
    const names: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const { value } = await stream.read();
      names.push(
        Buffer.from(value ?? [])
          .toString()
          .replace(/\.+$/u, ''),
      );
    }
    return names;
  }

  it('a reader that holds more than 1 MB loses rates, and nothing else', async () => {
    for (let index = 0; index < 11; index += 1) reader.send(chunk(`status ${index}`), 0);
    reader.sendIfRoom(chunk('rates'));
    reader.send(chunk('status 11'), 0);
    const names = await readAll(12);
    assert.deepEqual(names.slice(-2), ['status 10', 'status 11']);
    reader.sendIfRoom(chunk('later rates'));
    assert.deepEqual(await readAll(1), ['later rates']);
    assert.deepEqual(calls, []);
  });

  it('a reader that holds more than 2 MB loses all, and gets a snapshot as soon as it reads again', async () => {
    for (let index = 0; index < 30; index += 1) reader.send(chunk(`status ${index}`), 0);
    assert.deepEqual(calls, [], 'it has not read yet');
    const names = await readAll(22);
    assert.equal(names.at(-1), 'snapshot');
    assert.deepEqual(calls, ['room']);
    reader.send(chunk('status 30'), 0);
    assert.deepEqual(await readAll(1), ['status 30']);
  });

  it('a reader that takes nothing for a minute more counts as dead, and is cut off', () => {
    for (let index = 0; index < 30; index += 1) reader.send(chunk(`status ${index}`), 1000);
    assert.equal(reader.isDead(61_000), false);
    assert.equal(reader.isDead(61_001), true);
    reader.drop();
    assert.deepEqual(calls, ['gone', 'cut']);
    reader.drop();
    reader.end('closing');
    assert.deepEqual(calls, ['gone', 'cut'], 'once');
  });

  it('a reader that ends hears why, as the last of all', async () => {
    reader.send(chunk('status'), 0);
    reader.end('expired');
    reader.send(chunk('nobody reads this'), 0);
    assert.deepEqual(await readAll(2), ['status', 'event: bye\ndata: {"reason":"expired"}\n\n']);
    assert.equal((await stream.read()).done, true);
    assert.deepEqual(calls, ['gone']);
  });

  it('a reader that goes is forgotten at once', async () => {
    await stream.cancel();
    assert.deepEqual(calls, ['gone']);
    reader.send(chunk('nobody reads this'), 0);
    reader.sendIfRoom(chunk('nor this'));
  });
});
