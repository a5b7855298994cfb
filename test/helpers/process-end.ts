type Task = () => unknown;

/** Runs when all specs of this process are over, the last task first: for what they share. */
export function atProcessEnd(task: Task): void {
  const tasks = (globalThis as { [key: symbol]: unknown })[Symbol.for('tests.end')] as Task[] | undefined;
  if (tasks === undefined) throw new Error('A spec is run by scripts/test.mjs.');
  tasks.push(task);
}
