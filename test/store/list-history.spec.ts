/** The checker finds what it is for, and finds nothing in a history that is right. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findingsIn, type Operation } from './list-history.ts';

/** Three members in turn, each operation a millisecond long and one behind the other; every third reads. */
function soundHistory(): { operations: Operation[]; last: Map<string, string[]> } {
  const lists = new Map<string, string[]>([
    ['a', []],
    ['b', []],
  ]);
  const operations: Operation[] = [];
  for (let at = 0; at < 60; at += 1) {
    const key = at % 2 === 0 ? 'a' : 'b';
    const list = lists.get(key)!;
    const isRead = at % 3 === 2;
    if (!isRead) list.push(`e${at}`);
    const times = { begin: 2 * at, end: 2 * at + 1 };
    operations.push({ member: `m${at % 3}`, key, ...times, ...(isRead ? {} : { element: `e${at}` }), list: [...list] });
  }
  return { operations, last: lists };
}

describe('the checker of histories', () => {
  it('the checker finds nothing in a history that is right, nor in operations whose outcome nobody knows', () => {
    const { operations, last } = soundHistory();
    const unknown = { member: 'm0', key: 'a', begin: 5, element: 'perhaps' };
    assert.deepEqual(findingsIn([...operations, unknown], last), []);
    last.get('a')!.push('perhaps');
    assert.deepEqual(findingsIn([...operations, unknown], last), []);
  });

  it('the checker finds operations that overlap in either order', () => {
    const operations: Operation[] = [
      { member: 'm0', key: 'a', begin: 0, end: 10, element: 'x', list: ['y', 'x'] },
      { member: 'm1', key: 'a', begin: 1, end: 9, element: 'y', list: ['y'] },
      { member: 'm2', key: 'a', begin: 2, end: 8, list: [] },
    ];
    assert.deepEqual(findingsIn(operations, new Map([['a', ['y', 'x']]])), []);
  });

  const faults: [name: string, plant: (history: ReturnType<typeof soundHistory>) => void, finding: RegExp][] = [
    ['lost', ({ last }) => last.get('a')!.splice(4, 1), /e\d+ of m\d is lost/u],
    ['doubled', ({ last }) => last.get('b')!.push(last.get('b')![3]!), /is there 2 times/u],
    [
      'stale',
      ({ operations }) => {
        const at = operations.findLastIndex(({ element }) => element === undefined);
        operations[at] = { ...operations[at]!, list: operations[at]!.list!.slice(0, -1) };
      },
      /saw \d+ elements after m\d had seen \d+/u,
    ],
    [
      'reordered',
      ({ last }) => {
        const list = last.get('a')!;
        [list[2], list[3]] = [list[3]!, list[2]!];
      },
      /in place 2, where/u,
    ],
    [
      'forked',
      ({ operations }) => {
        const at = operations.length - 1;
        operations[at] = { ...operations[at]!, list: [...operations[at]!.list!.slice(0, -1), 'of another history'] };
      },
      /saw of another history/u,
    ],
  ];
  for (const [name, plant, finding] of faults)
    it(`the checker finds what is ${name}`, () => {
      const history = soundHistory();
      plant(history);
      const findings = findingsIn(history.operations, history.last);
      assert.ok(
        findings.some((each) => finding.test(each)),
        findings.join('; '),
      );
    });
});
