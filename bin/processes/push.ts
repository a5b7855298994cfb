/** The push process as a program of its own. */
import { addPush, emptyProgram, run } from './commands.ts';

const program = emptyProgram();
addPush(program);
await run(program);
