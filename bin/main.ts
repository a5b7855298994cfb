/** The program `onair`. */
import { handOnEnvironment } from './environment.ts';
import { tellFailure } from './failure.ts';
import { program } from './program.ts';

handOnEnvironment();
try {
  await program.parseAsync();
} catch (error) {
  tellFailure(error);
}
