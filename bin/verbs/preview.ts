/** `onair preview` brings what viewers see now, or saw at an instant: a JPEG, into a file or a pipe. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { AppError, invalidInput } from '../../domain/base/errors.ts';
import { toIso } from '../../domain/time/clock.ts';
import { readFileOf } from '../client/call.ts';
import { parseTime } from '../times.ts';
import { livestreamNamed } from './names.ts';

export async function preview(livestream: string, file: string | undefined, { at }: { at?: string }): Promise<void> {
  if (file === undefined && process.stdout.isTTY)
    throw invalidInput([
      { field: 'file', code: 'required', message: 'is needed at a terminal, such as now.jpg; a pipe gets the bytes' },
    ]);
  const { livestreamId, server_time, timezone: zone } = await livestreamNamed(livestream);
  const past = { nowMs: Date.parse(server_time), zone, isPast: true, field: '--at' };
  const wanted = at === undefined ? {} : { at: toIso(parseTime(at, past)) };
  const bytes = await readFileOf('getLivestreamPreview', { livestreamId, ...wanted });
  if (file === undefined) return void process.stdout.write(bytes);
  await pipeline([bytes], createWriteStream(file)).catch((cause: unknown) => {
    throw new AppError('conflict', `${file} cannot be written: ${(cause as Error).message}`, { cause });
  });
  process.stderr.write(`onair: the picture is in ${file}\n`);
}
