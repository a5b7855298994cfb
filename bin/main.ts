/** The program `onair`. */
import { handOnEnvironment } from './environment.ts';
import { reportFailure } from './failure.ts';
import { program } from './program.ts';

handOnEnvironment();
try {
  await program.parseAsync();
} catch (error) {
  reportFailure(error);
}
