/** The program `onair`. */
import { tellFailure } from './failure.ts';
import { program } from './program.ts';

try {
  await program.parseAsync();
} catch (error) {
  tellFailure(error);
}
