/** The program `onair`. */
import { EXIT } from './exit-codes.ts';
import { run } from './processes/commands.ts';
import { program } from './program.ts';

// Whoever read a pipe may have enough of it, as head has; a full disk is told. A server has listeners of its own.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (process.stdout.listenerCount('error') > 1) return;
  if (code !== 'EPIPE') process.stderr.write(`onair: stdout takes no more: ${message}\n`);
  process.exit(code === 'EPIPE' ? EXIT.ok : EXIT.other);
});
await run(program);
