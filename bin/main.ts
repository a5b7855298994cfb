/** The program `onair`. */
import { run } from './processes/commands.ts';
import { program } from './program.ts';

await run(program);
