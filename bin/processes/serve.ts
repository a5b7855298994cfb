/** `onair serve` as a program of its own. */
import { addServe, emptyProgram, run } from './commands.ts';

const program = emptyProgram();
addServe(program);
await run(program);
