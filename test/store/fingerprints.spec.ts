/** Fingerprints of keys, in memory and out of it. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { it } from 'node:test';
import { FingerprintPool } from '../../store/history/fingerprint-pool.ts';
import { Fingerprints } from '../../store/history/fingerprints.ts';
import { temporaryFolder } from './support.ts';

const KEYS = 50_000;
/** 48 bits, as of a key's hash. */
const keyOf = (table: number, key: number): number => (Math.imul(key + 1, 0x9e3779b1) >>> 0) + table * 2 ** 32 + key;

it('fingerprints find every key that was added, keep at most 8 MB in memory, and free the place of removed tables', async (t) => {
  const dir = await temporaryFolder(t);
  const pool = new FingerprintPool(dir);
  t.after(() => pool.close());
  const keysOf = (table: number): number[] => Array.from({ length: KEYS }, (_, key) => keyOf(table, key));
  const make = (table: number): Fingerprints => {
    const prints = new Fingerprints(pool);
    const keys = keysOf(table);
    for (let at = 0; at < KEYS; at += 5_000) prints.addAll(keys.slice(at, at + 5_000));
    assert.ok(pool.bytes <= 8 * 1024 * 1024, `${pool.bytes} bytes in memory after ${table + 1} tables`);
    return prints;
  };
  const tables = Array.from({ length: 40 }, (_, table) => make(table));
  assert.deepEqual(await readdir(dir), [], 'the file has no name');
  const assertFound = (): void => {
    for (const [table, prints] of tables.entries())
      for (let key = 0; key < KEYS; key += 501) assert.ok(prints.mayHave(keyOf(table, key)), `key ${key} of ${table}`);
  };
  assertFound();
  let wrong = 0;
  for (let key = 0; key < 20_000; key += 1) wrong += tables[key % 40]!.mayHave(keyOf(3, KEYS + key)) ? 1 : 0;
  assert.ok(wrong <= 20, `${wrong} of 20000 keys that are not there`);
  // One that left memory grows again; others go, and new ones take their places.
  tables[0]!.addAll([keyOf(0, KEYS)]);
  assert.ok(tables[0]!.mayHave(keyOf(0, KEYS)) && tables[0]!.mayHave(keyOf(0, 7)));
  for (const table of [5, 6, 7, 38, 39]) {
    tables[table]!.remove();
    assert.ok(!tables[table]!.mayHave(keyOf(table, 7)));
    tables[table] = make(table);
  }
  assertFound();
});
