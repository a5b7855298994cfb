/** Answers the shell where a person presses Tab: a program of its own, because people wait for it at each key. */
import { candidatesFor, type LiveNames } from './complete.ts';
import { commandLine } from '../settings/config-folder.ts';
import { COMMANDS, loadOperations } from './trees.ts';

/** A server that is slower than this is not waited for: the shell hangs meanwhile. */
const BOUND_MS = 1000;

for (const flag of ['config', 'context'] as const) {
  const value = process.argv[process.argv.indexOf(`--${flag}`) + 1];
  if (process.argv.includes(`--${flag}`) && value) commandLine[flag] = value;
}

const bound = setTimeout(() => process.exit(0), BOUND_MS);
try {
  const live: LiveNames = async (kind) => (await import('./live-names.ts')).liveNames(kind);
  const trees = { commands: COMMANDS, operations: loadOperations, live };
  const candidates = await candidatesFor(process.argv.slice(3), trees);
  const line = ({ word, about = '' }: (typeof candidates)[number]): string =>
    `${word}\t${about}`.replace(/\p{Cc}/gu, (letter) => (letter === '\t' ? letter : ' '));
  process.stdout.write(candidates.map((candidate) => `${line(candidate)}\n`).join(''));
} catch {
  // A shell shows nothing where nothing can be known; the command itself says why.
}
clearTimeout(bound);
