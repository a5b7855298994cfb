/** A query that is asked again gets the known answer, and never one from before a write. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Found } from '../../domain/ports/store.ts';
import { Answers } from '../../store/tables/answers.ts';
import type { AnyRow } from '../../store/tables/table.ts';

function counted(rows: object[]): { run: () => Found<AnyRow>; runs: () => number } {
  let runs = 0;
  return {
    run() {
      runs += 1;
      return { rows: rows as AnyRow[], total: rows.length };
    },
    runs: () => runs,
  };
}

describe('known answers', () => {
  it('a query with known answers runs once until they are cleared', () => {
    const answers = new Answers<AnyRow>();
    const source = counted([{ id: 1 }]);
    const query = { where: { type: 'File' }, limit: 50 };
    const first = answers.get(query, source.run);
    assert.deepEqual(answers.get({ ...query }, source.run), first);
    assert.equal(source.runs(), 1);
    answers.clear();
    answers.get(query, source.run);
    assert.equal(source.runs(), 2);
  });

  it('known answers distinguish queries by every part of them', () => {
    const answers = new Answers<AnyRow>();
    const source = counted([]);
    const queries = [
      { limit: 50 },
      { limit: 51 },
      { limit: 50, offset: 1 },
      { limit: 50, search: 'a' },
      { limit: 50, sort: { field: 'name', descending: true } },
      { limit: 50, sort: { field: 'name', descending: false } },
      { limit: 50, where: { type: 'File' } },
      { limit: 50, where: { id: { notIn: [1] } } },
    ];
    for (const query of queries) answers.get(query, source.run);
    assert.equal(source.runs(), queries.length);
  });

  it('known answers give each caller a list of its own', () => {
    const answers = new Answers<AnyRow>();
    const source = counted([{ id: 1 }, { id: 2 }]);
    answers.get({ limit: 50 }, source.run).rows.pop();
    answers.get({ limit: 50 }, source.run).rows.pop();
    assert.equal(answers.get({ limit: 50 }, source.run).rows.length, 2);
  });

  it('known answers remember neither queries without a page nor queries that failed', () => {
    const answers = new Answers<AnyRow>();
    const source = counted([]);
    for (const query of [{}, { limit: 1 }, { limit: Number.NaN }]) {
      answers.get(query, source.run);
      answers.get(query, source.run);
    }
    assert.equal(source.runs(), 6);
    const refuse = (): never => {
      throw new Error('refused');
    };
    assert.throws(() => answers.get({ limit: 9, search: 'x' }, refuse), /refused/u);
    answers.get({ limit: 9, search: 'x' }, source.run);
    assert.equal(source.runs(), 7);
  });

  it('known answers hold a bounded number', () => {
    const answers = new Answers<AnyRow>();
    const source = counted([]);
    for (let limit = 2; limit < 2000; limit += 1) answers.get({ limit }, source.run);
    answers.get({ limit: 2 }, source.run);
    assert.equal(source.runs(), 1999);
  });
});
