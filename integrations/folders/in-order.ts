/**
 * Asks for `count` things, `atOnce` of them under way together, and answers them in their order: a line with a long way is kept full
 * by what is asked before the last answer has come.
 */
export async function* inOrder<T>(
  count: number,
  atOnce: number,
  ask: (index: number) => Promise<T>,
): AsyncGenerator<T> {
  const underWay: Promise<T>[] = [];
  for (let next = 0; next < count || underWay.length > 0;) {
    for (; next < count && underWay.length < atOnce; next += 1) {
      const asked = ask(next);
      // Its turn comes; what fails before must not end the process.
      asked.catch(() => undefined);
      underWay.push(asked);
    }
    yield await underWay.shift()!;
  }
}
