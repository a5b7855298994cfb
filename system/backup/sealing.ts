/**
 * Encryption with a passphrase, in the format age (age-encryption.org/v1): scrypt, then ChaCha20-Poly1305 in pieces of 64 KiB that cannot be
 * changed, reordered or cut off unnoticed. The program `age` opens such a file without this one.
 */
import { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter } from 'age-encryption';
import { AppError } from '../../domain/base/errors.ts';
import { damagedBackup } from './checksum.ts';

const LEAD = 'age-encryption.org/';

export function isSealed(beginning: Uint8Array): boolean {
  return Buffer.from(beginning.subarray(0, LEAD.length)).toString('latin1') === LEAD;
}

/** 2^18 rounds of scrypt take a second and 256 MB: what age itself takes, and what each guess of a passphrase costs. */
const WORK_FACTOR = 18;

export async function* sealed(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
  workFactor = WORK_FACTOR,
): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(workFactor);
  encrypter.setPassphrase(passphrase);
  yield* iterated(await encrypter.encrypt(streamOf(source)));
}

/** Throws AppError invalid_input for a wrong passphrase, and for a file that is not as it was written. */
export async function* opened(source: AsyncIterable<Uint8Array>, passphrase: string): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  let plain: AsyncIterable<Uint8Array>;
  try {
    plain = iterated(await decrypter.decrypt(streamOf(source)));
  } catch (cause) {
    if ((cause as Error).message.includes('no identity matched'))
      throw new AppError('invalid_input', 'The passphrase does not open the backup. Nothing was restored.', {
        cause,
        remedy: 'Give the passphrase that it was made with.',
      });
    throw damagedBackup(cause);
  }
  try {
    yield* plain;
  } catch (cause) {
    throw cause instanceof AppError ? cause : damagedBackup(cause);
  }
}

function streamOf(source: AsyncIterable<Uint8Array>): globalThis.ReadableStream<Uint8Array> {
  return ReadableStream.from(source) as unknown as globalThis.ReadableStream<Uint8Array>;
}

function iterated(stream: globalThis.ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  return stream as unknown as AsyncIterable<Uint8Array>;
}
