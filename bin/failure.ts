/** How the program says on stderr that a command has failed. */
import { AppError, ERROR_CODES } from '../domain/errors.ts';

export function tellFailure(error: unknown): void {
  process.exitCode = 1;
  if (error instanceof AppError) {
    process.stderr.write(`onair: ${error.message}\n`);
    if (error.extras.upstream !== undefined) process.stderr.write(`  upstream: ${error.extras.upstream}\n`);
    process.stderr.write(`  ${error.code}: ${error.extras.remedy ?? ERROR_CODES[error.code].remedy}\n`);
  } else {
    process.stderr.write(`onair: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }
}
