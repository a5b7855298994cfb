/** What the writers were told, against what a start finds. */
import assert from 'node:assert/strict';
import type { Counter, Pair, WriterSaid } from './fixtures/writer.ts';

export class Ledger {
  readonly #pairs = new Map<string, Pair>();
  /** Announced and perhaps not done. */
  readonly #leaving = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #counters = new Map<number, Counter>();
  readonly #auditIds = new Set<number>();
  readonly #eventIds = new Set<number>();
  acknowledged = 0;
  starts = 0;

  hear(said: WriterSaid): void {
    if ('found' in said) this.#check(said.found);
    else if ('deleting' in said) this.#leaving.add(said.deleting.tag);
    else {
      this.acknowledged += 1;
      if ('inserted' in said) this.#insert(said.inserted);
      else if ('deleted' in said) this.#deleted.add(said.deleted.tag);
      else this.#counters.set(said.counted.id, said.counted);
    }
  }

  #insert(pair: Pair): void {
    assert.ok(
      !this.#auditIds.has(pair.audit) && !this.#eventIds.has(pair.event),
      `an id came back: ${JSON.stringify(pair)}`,
    );
    this.#auditIds.add(pair.audit);
    this.#eventIds.add(pair.event);
    this.#pairs.set(pair.tag, pair);
  }

  #check({
    audit,
    events,
    counters,
  }: {
    audit: [number, string][];
    events: [number, string][];
    counters: Counter[];
  }): void {
    this.starts += 1;
    const audits = new Map(audit.map(([id, tag]) => [tag, id]));
    const messages = new Map(events.map(([id, tag]) => [tag, id]));
    assert.deepEqual([...audits.keys()].sort(), [...messages.keys()].sort(), 'a commit is there in part');
    for (const [tag, pair] of this.#pairs) {
      if (this.#deleted.has(tag)) assert.equal(audits.get(tag), undefined, `${tag} came back`);
      else if (!this.#leaving.has(tag) || audits.has(tag))
        assert.deepEqual([audits.get(tag), messages.get(tag)], [pair.audit, pair.event], `${tag} is lost`);
    }
    const found = new Map(counters.map((counter) => [counter.id, counter]));
    for (const { id, version } of this.#counters.values())
      assert.ok((found.get(id)?.version ?? 0) >= version, `counter ${id} fell behind ${version}`);
    for (const { version, count } of counters)
      assert.equal(count, version, 'a version and its row do not belong together');
  }
}
