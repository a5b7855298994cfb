/** The process that answers viewers of the control plane, as a program of its own. */
import { addMedia, emptyProgram, run } from './commands.ts';

const program = emptyProgram();
addMedia(program);
await run(program);
