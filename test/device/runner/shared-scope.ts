/** A run that the tests of a file share. */
import { after } from 'node:test';
import type { TestScope } from '../../helpers/clean-up.ts';

/** Cleans up when the suite in which it was called is over. To be called where hooks can be. */
export function suiteScope(): TestScope {
  const tasks: (() => unknown)[] = [];
  after(async () => {
    for (const task of tasks.reverse()) await task();
  });
  return { after: ((task: () => unknown) => void tasks.push(task)) as TestScope['after'], diagnostic: () => undefined };
}
