/** Whatever was acknowledged before SIGKILL is there afterwards, whole, and no id comes back. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Counter, Pair, WriterSaid } from './fixtures/writer.ts';
import { bundledProgram, Program } from './program.ts';
import { temporaryFolder } from './support.ts';

const ROUNDS = 50;

class Ledger {
  readonly #pairs = new Map<string, Pair>();
  /** Announced and perhaps not done. */
  readonly #leaving = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #counters = new Map<number, Counter>();
  readonly #auditIds = new Set<number>();
  readonly #eventIds = new Set<number>();
  acknowledged = 0;

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
    assert.ok(!this.#auditIds.has(pair.audit) && !this.#eventIds.has(pair.event), `an id came back: ${JSON.stringify(pair)}`);
    this.#auditIds.add(pair.audit);
    this.#eventIds.add(pair.event);
    this.#pairs.set(pair.tag, pair);
  }

  #check({ audit, events, counters }: { audit: [number, string][]; events: [number, string][]; counters: Counter[] }): void {
    const audits = new Map(audit.map(([id, tag]) => [tag, id]));
    const messages = new Map(events.map(([id, tag]) => [tag, id]));
    assert.deepEqual([...audits.keys()].sort(), [...messages.keys()].sort(), 'a commit is there in part');
    for (const [tag, pair] of this.#pairs) {
      if (this.#deleted.has(tag)) assert.equal(audits.get(tag), undefined, `${tag} came back`);
      else if (!this.#leaving.has(tag) || audits.has(tag)) assert.deepEqual([audits.get(tag), messages.get(tag)], [pair.audit, pair.event], `${tag} is lost`);
    }
    const found = new Map(counters.map((counter) => [counter.id, counter]));
    for (const { id, version } of this.#counters.values()) assert.ok((found.get(id)?.version ?? 0) >= version, `counter ${id} fell behind ${version}`);
    for (const { version, count } of counters) assert.equal(count, version, 'a version and its row do not belong together');
  }
}

it(`loses nothing in ${ROUNDS} kills`, async (t) => {
  const program = await bundledProgram(t, 'writer');
  const dir = await temporaryFolder(t);
  const ledger = new Ledger();
  let checked = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const writer = new Program<WriterSaid>(t, program, [dir, String(round)]);
    // Every fifth is killed while it may still be reading what the one before left.
    const early = round % 5 === 4;
    const first = early ? undefined : await writer.expect();
    await wait(Math.random() * (early ? 150 : 80));
    writer.signal('SIGKILL');
    const said = [...(first === undefined ? [] : [first]), ...(await writer.rest())];
    await writer.ended();
    assert.equal(writer.errors, '');
    for (const each of said) ledger.hear(each);
    checked += said.some((each) => 'found' in each) ? 1 : 0;
  }
  assert.ok(checked > ROUNDS / 2 && ledger.acknowledged > ROUNDS * 10, `only ${checked} starts, ${ledger.acknowledged} acknowledged writes`);
  t.diagnostic(`${ledger.acknowledged} acknowledged writes, ${checked} starts checked`);
});
