/** Clean-up after a test: the last thing registered goes first, and one that fails holds up none of the others. */

import type { TestContext } from 'node:test';

/** A test, or what stands for one: a run that several tests share. */
export type TestScope = Pick<TestContext, 'after' | 'diagnostic'>;

/** A test, or node:test's own `after` for a file or a suite. */
export interface Owner {
  after(task: () => Promise<void>): void;
}

type Task = () => unknown;
const stacks = new WeakMap<object, Task[]>();

/** Runs after the test. node:test's own `after` runs in order of registration and ends at the first failure. */
export function cleanUp(t: Owner, task: Task): void {
  const known = stacks.get(t);
  if (known !== undefined) {
    known.push(task);
    return;
  }
  const stack = [task];
  stacks.set(t, stack);
  t.after(async () => {
    const failures: unknown[] = [];
    for (let next = stack.pop(); next !== undefined; next = stack.pop())
      try {
        await next();
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
  });
}
