/** The messages that the feed keeps for readers that come back: none of them is left with an older state. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { KeptMessages } from '../../../rest/feed/kept-messages.ts';

const bytesOf = (text: string) => (): Uint8Array => Buffer.from(text);
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe('kept messages', () => {
  let kept: KeptMessages;
  beforeEach(() => {
    kept = new KeptMessages('boot');
  });
  const add = (text: string, nowMs = 0, resource?: string): number => kept.add(bytesOf(text), nowMs, resource).position;
  const after = (id: string | undefined, nowMs = 0): string[] | undefined =>
    kept.after(id, nowMs)?.map(({ bytes }) => textOf(bytes));

  it('messages get ids of the boot that rise by one, and are given to whoever has an earlier id', () => {
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c'])
      kept.add((id) => {
        ids.push(id);
        return Buffer.from(text);
      }, 0);
    assert.deepEqual(ids, ['boot.1', 'boot.2', 'boot.3']);
    assert.equal(kept.id, 'boot.3');
    assert.deepEqual(after('boot.0'), ['a', 'b', 'c']);
    assert.deepEqual(after('boot.2'), ['c']);
    assert.deepEqual(after('boot.3'), []);
  });

  it('no id, one of another boot, one that is still to come and one that is none ask for a snapshot', () => {
    add('a');
    for (const id of [undefined, '', 'other.1', 'boot.2', 'boot', 'boot.', 'boot.x', 'boot.-1', 'boot.1.1', ' boot.1'])
      assert.equal(after(id), undefined, String(id));
  });

  it('the last 2,000 messages are kept, and no longer than five minutes', () => {
    for (let number = 1; number <= 2001; number += 1) add(String(number));
    assert.equal(after('boot.0'), undefined, 'the first is gone');
    assert.equal(after('boot.1')?.length, 2000);
    add('late', 300_001);
    assert.equal(after('boot.2000', 300_001), undefined, 'all before are too old');
    assert.deepEqual(after('boot.2001', 300_001), ['late']);
    assert.deepEqual(after('boot.2002', 900_000), [], 'nothing was missed since the newest');
    assert.equal(after('boot.2001', 900_000), undefined);
  });

  it('after a time in which nothing was followed, no earlier id is good', () => {
    add('a');
    kept.forget();
    assert.equal(after('boot.0'), undefined);
    assert.equal(after('boot.1'), undefined, 'also the newest');
    assert.deepEqual(after(kept.id), []);
    add('b');
    assert.deepEqual(after('boot.2'), ['b']);
  });

  it('a message about changed rows names the list whose readers may read it', () => {
    add('a', 0, 'users');
    add('b');
    assert.deepEqual(
      kept.after('boot.0', 0)?.map(({ resource }) => resource),
      ['users', undefined],
    );
  });
});

/** One thing that may happen between a server with five states and a reader of them. */
type Step =
  | { kind: 'change'; stream: number }
  | { kind: 'burst'; count: number }
  | { kind: 'wait'; ms: number }
  /** The connection breaks: the last `lost` messages on their way never arrive. */
  | { kind: 'break'; lost: number }
  /** The reader comes back with the id of an earlier message, so that it gets some of them again. */
  | { kind: 'repeat'; back: number }
  | { kind: 'resume' }
  | { kind: 'idle' }
  | { kind: 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('change' as const), stream: fc.nat(4) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('break' as const), lost: fc.nat(6) }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'resume' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeat' as const), back: fc.nat(8) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(400_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('burst' as const), count: fc.nat(2100) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'idle' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

interface StateMessage {
  id: string;
  stream: number;
  value: number;
}

/** A server, and a reader that knows of it what the feed has told. */
class Model {
  readonly states = [0, 0, 0, 0, 0];
  readonly known: number[] = [];
  private kept = new KeptMessages('boot-0');
  private nowMs = 0;
  private boots = 0;
  private value = 0;
  private received: string[] = [];
  private underway: StateMessage[] = [];
  private isConnected = false;

  run(one: Step): void {
    switch (one.kind) {
      case 'change':
        return this.change(one.stream);
      case 'burst':
        for (let number = 0; number < one.count; number += 1) this.change(number % 5);
        return;
      case 'wait':
        this.nowMs += one.ms;
        return;
      case 'break':
        return this.disconnect(one.lost);
      case 'resume':
        this.disconnect(0);
        return this.connect(this.received.at(-1));
      case 'repeat':
        this.disconnect(0);
        return this.connect(this.received.at(-1 - one.back));
      case 'idle':
        this.disconnect(0);
        // What happens while nobody is there is kept by nobody.
        this.kept.forget();
        this.value += 1;
        this.states[0] = this.value;
        return;
      case 'restart':
        this.disconnect(3);
        this.boots += 1;
        this.kept = new KeptMessages(`boot-${this.boots}`);
        return;
    }
  }

  settle(): void {
    this.disconnect(0);
    this.connect(this.received.at(-1));
    this.disconnect(0);
  }

  private change(stream: number): void {
    this.value += 1;
    this.states[stream] = this.value;
    const { value } = this;
    const write = (id: string): Uint8Array => Buffer.from(JSON.stringify({ id, stream, value }));
    const { bytes } = this.kept.add(write, this.nowMs);
    if (this.isConnected) this.underway.push(JSON.parse(textOf(bytes)) as StateMessage);
  }

  private connect(lastId: string | undefined): void {
    this.isConnected = true;
    const missed = this.kept.after(lastId, this.nowMs);
    if (missed === undefined) {
      this.known.splice(0, this.known.length, ...this.states);
      this.received.push(this.kept.id);
    }
    for (const { bytes } of missed ?? []) this.underway.push(JSON.parse(textOf(bytes)) as StateMessage);
  }

  private disconnect(lost: number): void {
    this.isConnected = false;
    for (const { id, stream, value } of this.underway.slice(0, Math.max(0, this.underway.length - lost))) {
      this.known[stream] = value;
      this.received.push(id);
    }
    this.underway = [];
  }
}

describe('a feed that breaks', () => {
  it('after any breaks, losses, repetitions, pauses and restarts a reader that has come back knows the present state', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const model = new Model();
        for (const one of steps) model.run(one);
        model.settle();
        assert.deepEqual(model.known, model.states);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});
