/**
 * The last line of a backup: the SHA-256 of all bytes before it. Whatever was cut off or changed shows there, in a backup without a
 * passphrase too. It stands behind the end of the tar archive, where programs that read tar look no more.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../../domain/base/errors.ts';

const LEAD = 'onair-backup sha256 ';
const LINE_BYTES = LEAD.length + 64 + 1;

export async function* withChecksum(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const piece of source) {
    hash.update(piece);
    yield piece;
  }
  yield Buffer.from(`${LEAD}${hash.digest('hex')}\n`);
}

/** Yields what is before the last line. Throws AppError invalid_input at the end when that line is missing or says otherwise. */
export async function* checked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let held: Uint8Array = Buffer.alloc(0);
  for await (const piece of source) {
    const bytes = Buffer.concat([held, piece]);
    const whole = bytes.subarray(0, Math.max(0, bytes.length - LINE_BYTES));
    held = bytes.subarray(whole.length);
    if (whole.length === 0) continue;
    hash.update(whole);
    yield whole;
  }
  if (Buffer.from(held).toString('latin1') !== `${LEAD}${hash.digest('hex')}\n`) throw damagedBackup();
}

export function damagedBackup(cause?: unknown): AppError {
  return new AppError(
    'invalid_input',
    'The backup is cut short, or was changed since it was made. Nothing was restored.',
    {
      cause,
      remedy: 'Take another copy of the backup, or an earlier one.',
    },
  );
}
