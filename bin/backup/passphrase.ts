import { readFileSync } from 'node:fs';
import { AppError, invalidInput } from '../../domain/base/errors.ts';

/** The first line of the file that --passphrase-file names, else ONAIR_BACKUP_PASSPHRASE; undefined where neither is given. */
export function givenPassphrase(file: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (file === undefined) return env['ONAIR_BACKUP_PASSPHRASE'] || undefined;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError('invalid_input', `The passphrase file ${file} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
  const [passphrase = ''] = text.split(/\r?\n/u, 1);
  if (passphrase !== '') return passphrase;
  throw invalidInput([
    { field: '--passphrase-file', code: 'required', message: `${file} has no passphrase in its first line` },
  ]);
}
