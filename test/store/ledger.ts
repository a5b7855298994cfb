/** Compares the acknowledgements of the writers with the rows that a start finds. */
import assert from 'node:assert/strict';
import type { Counter, Pair, WriterSaid } from './fixtures/writer.ts';

type Found = Extract<WriterSaid, { found: unknown }>['found'];

export class Ledger {
  private readonly pairs = new Map<string, Pair>();
  /** Announced and perhaps not done. */
  private readonly leaving = new Set<string>();
  private readonly deleted = new Set<string>();
  private readonly counters = new Map<number, Counter>();
  private readonly ids = new Set<string>();
  acknowledged = 0;
  starts = 0;

  hear(message: WriterSaid): void {
    if ('found' in message) this.check(message.found);
    else if ('deleting' in message) this.leaving.add(message.deleting.tag);
    else {
      this.acknowledged += 1;
      if ('inserted' in message) this.insert(message.inserted);
      else if ('deleted' in message) this.deleted.add(message.deleted.tag);
      else this.counters.set(message.counted.id, message.counted);
    }
  }

  private insert(pair: Pair): void {
    for (const name of ['audit', 'event', 'action'] as const) {
      const id = `${name} ${pair[name]}`;
      assert.ok(!this.ids.has(id), `an id came back: ${JSON.stringify(pair)}`);
      this.ids.add(id);
    }
    this.pairs.set(pair.tag, pair);
  }

  private check({ audit, events, actions, counters }: Found): void {
    this.starts += 1;
    const audits = byTag(audit);
    const messages = byTag(events);
    const present = byTag(actions);
    assert.deepEqual([...audits.keys()], [...messages.keys()], 'a commit is there in part');
    for (const rows of [audit, events]) {
      const ids = rows.map(([id]) => id);
      assert.deepEqual(
        ids,
        [...new Set(ids)].sort((a, b) => a - b),
        'history is not in its order',
      );
    }
    for (const [tag, pair] of this.pairs) {
      assert.deepEqual([audits.get(tag), messages.get(tag)], [pair.audit, pair.event], `${tag} is lost`);
      if (this.deleted.has(tag)) assert.equal(present.get(tag), undefined, `${tag} came back`);
      else if (!this.leaving.has(tag)) assert.equal(present.get(tag), pair.action, `${tag} is lost`);
    }
    const found = new Map(counters.map((counter) => [counter.id, counter]));
    for (const { id, version } of this.counters.values())
      assert.ok((found.get(id)?.version ?? 0) >= version, `counter ${id} fell behind ${version}`);
    for (const { version, count } of counters)
      assert.equal(count, version, 'a version and its row do not belong together');
  }
}

function byTag(rows: readonly (readonly [number, string])[]): Map<string, number> {
  const ids = new Map(rows.map(([id, tag]) => [tag, id]));
  assert.equal(ids.size, rows.length, 'a row is there twice');
  return ids;
}
