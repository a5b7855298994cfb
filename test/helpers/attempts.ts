import type { TestContext } from 'node:test';

/** The context of one attempt, as of a test of its own. */
export type Attempt = Pick<TestContext, 'after' | 'diagnostic'>;

const ATTEMPTS = 3;

/**
 * A test whose body asserts what happens in time. Media that is late because the machine runs much else is tried again, with all that the
 * attempt has started ended before the next; a fault of the program fails each attempt, and then the test.
 */
export function inTime(body: (attempt: Attempt) => Promise<void>): (t: TestContext) => Promise<void> {
  return async (t) => {
    for (let number = 1; ; number += 1) {
      const cleanUps: (() => unknown)[] = [];
      const after = (task: unknown): void => void cleanUps.push(task as () => unknown);
      try {
        await body({ after, diagnostic: (text) => t.diagnostic(text) });
        return;
      } catch (error) {
        if (number === ATTEMPTS) throw error;
        t.diagnostic(`attempt ${number} of ${ATTEMPTS}: ${error instanceof Error ? error.message : String(error)}`);
      } finally {
        for (const task of cleanUps) await task();
      }
    }
  };
}
