/** The runner, and the runner in waiting, as a program of their own. */
import { addRunner, emptyProgram, run } from './commands.ts';

const program = emptyProgram();
addRunner(program);
await run(program);
