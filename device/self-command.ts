/** Command and arguments that start this same program again: the built bundle, or the sources under a loader. */
export function selfCommand(...args: string[]): [string, string[]] {
  const entry = process.argv[1];
  if (entry === undefined) throw new Error('This process was not started from a program file.');
  return [process.execPath, [...process.execArgv, entry, ...args]];
}
