/** `onair device` as a program of its own. */
import { addDevice, emptyProgram, run } from './commands.ts';

const program = emptyProgram();
addDevice(program);
await run(program);
