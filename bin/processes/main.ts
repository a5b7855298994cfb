/** The processes of an installation, as a program of their own. */
import { addDevice, addFeeder, addMedia, addPush, addRunner, addServe, emptyProgram, run } from './commands.ts';

const program = emptyProgram();
for (const add of [addServe, addDevice, addRunner, addPush, addMedia, addFeeder]) add(program);
await run(program);
