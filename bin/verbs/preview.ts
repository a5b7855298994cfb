/** `onair preview` brings what viewers see now: a JPEG, into a file or a pipe. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { AppError, invalidInput } from '../../domain/base/errors.ts';
import { readFileOf } from '../client/call.ts';
import { livestreamNamed } from './names.ts';

export async function preview(livestream: string, file: string | undefined): Promise<void> {
  if (file === undefined && process.stdout.isTTY)
    throw invalidInput([
      { field: 'file', code: 'required', message: 'is needed at a terminal, such as now.jpg; a pipe gets the bytes' },
    ]);
  const { livestreamId } = await livestreamNamed(livestream);
  const bytes = await readFileOf('getLivestreamPreview', { livestreamId });
  if (file === undefined) return void process.stdout.write(bytes);
  await pipeline([bytes], createWriteStream(file)).catch((cause: unknown) => {
    throw new AppError('conflict', `${file} cannot be written: ${(cause as Error).message}`, { cause });
  });
  process.stderr.write(`onair: the picture is in ${file}\n`);
}
