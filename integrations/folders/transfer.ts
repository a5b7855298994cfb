/**
 * Transfers a file of any size into a folder: it is sent under a name of its own, read back, compared, and only then renamed. A transfer
 * that breaks off goes on where the protocol can, and begins anew where it cannot.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { anySignal } from '../../domain/base/any-signal.ts';
import { retryDelayMs, type RetryBudget } from '../../domain/time/back-off.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { OutgoingFile, SentFile, TransferProgress } from '../../domain/shapes/installation/integrations.ts';
import { pause } from '../../domain/time/pause.ts';
import { StallGuard } from '../../domain/network/stall-guard.ts';
import { FolderFault, OTHER_CONTENT, type FolderProtocol, type OpenFolder, type Step } from './folder.ts';
import { networkReason, within } from './network.ts';
import { quote, sentenceOf, unknownReason } from './reason.ts';

/** Attempts without any progress, one after the other, go on for about a minute. */
const RETRY: RetryBudget = { max_attempts: 6, initial_delay_ms: 1000, max_delay_ms: 30_000 };
/** Servers acknowledge within seconds, and may take a minute to put a large object together. */
const STALL_MS = 120_000;
const CLEAN_UP_MS = 5000;

export interface Transfer<F> {
  folder: F;
  /** The server in every reason. */
  place: string;
  /** Values that must not appear in a reason. */
  secrets: readonly (string | null)[];
  path: string;
  name: string;
  /** An existing file with the name is replaced; otherwise the transfer is refused (AppError conflict). */
  replace: boolean;
  signal: AbortSignal;
  progress: TransferProgress;
  retry?: RetryBudget | undefined;
  stallMs?: number | undefined;
}

interface TransferState {
  step: Step;
  /** Bytes that are known to be there. */
  sent: number;
  /** The file there differs from what was sent: no byte of it is used again. */
  isSpoilt: boolean;
  tries: number;
}

/**
 * Rejects with AppError: conflict (the name is taken), upstream_failed with the reason, timeout when `signal` fires. The unfinished file is
 * removed then, as far as the other side lets it.
 */
export async function transferFile<F>(
  load: () => Promise<FolderProtocol<F>>,
  transfer: Transfer<F>,
): Promise<SentFile> {
  const { name, signal, retry = RETRY } = transfer;
  const protocol = await load();
  const file = await digestOf(transfer.path, signal);
  const state: TransferState = { step: 'open', sent: 0, isSpoilt: false, tries: 0 };
  for (let failures = 1; ; failures += 1) {
    const before = state.sent;
    try {
      await attempt(protocol, transfer, file, state);
      return { name, ...file };
    } catch (error) {
      if (state.sent > before) failures = 1;
      const delayMs = retryDelayMs(retry, failures, Math.random());
      const failure = failureOf(error, protocol, transfer, state);
      if (failure.passes && delayMs !== undefined && (await pause(delayMs, signal))) continue;
      if (state.tries > 0 && failure.error.code !== 'conflict') await removeRest(protocol, transfer);
      throw signal.aborted ? new AppError('timeout', `The transfer of ${name} was given up.`) : failure.error;
    }
  }
}

/** Size and SHA-256 of a file. Rejects with AppError timeout or unavailable. */
export async function digestOf(path: string, signal: AbortSignal): Promise<Omit<SentFile, 'name'>> {
  try {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash, { signal });
    return { size_bytes: (await stat(path)).size, sha256: hash.digest('hex') };
  } catch (error) {
    if (signal.aborted) throw new AppError('timeout', 'The transfer was given up before it had begun.');
    throw new AppError('unavailable', 'The file to be sent cannot be read; see the server log.', { cause: error });
  }
}

async function attempt<F>(
  protocol: FolderProtocol<F>,
  transfer: Transfer<F>,
  file: Omit<SentFile, 'name'>,
  state: TransferState,
): Promise<void> {
  const { place, stallMs = STALL_MS } = transfer;
  const silence = `${place} took nothing for ${stallMs / 1000} s`;
  const stall = new StallGuard(stallMs, new FolderFault(silence, undefined, { passes: true }));
  const signal = anySignal([transfer.signal, stall.signal]);
  state.step = 'open';
  let open: OpenFolder | undefined;
  try {
    open = await within(signal, protocol.open(transfer.folder, signal));
    await within(signal, bring(protocol, open, transfer, { file, state, stall }));
  } finally {
    stall.end();
    open?.close();
  }
}

async function bring<F>(
  protocol: FolderProtocol<F>,
  open: OpenFolder,
  { name, path, replace, progress }: Transfer<F>,
  { file, state, stall }: { file: Omit<SentFile, 'name'>; state: TransferState; stall: StallGuard },
): Promise<void> {
  const size = file.size_bytes;
  const part = protocol.whole ? name : partNameOf(name);
  const isTaken = async (): Promise<boolean> => !replace && (await open.sizeOf(name)) !== undefined;
  const compare = (of: string): Promise<boolean> =>
    isSame(open, of, file, (done) => {
      stall.moved();
      progress(done, size, 'verified');
    });
  if (await isTaken()) {
    // An attempt whose last answer was lost has done its work.
    if (state.tries > 0 && (await compare(name))) return;
    throw nameConflict(name);
  }
  state.step = 'write';
  const bytesThere = protocol.resumes && state.tries > 0 && !state.isSpoilt ? ((await open.sizeOf(part)) ?? 0) : 0;
  const from = bytesThere <= size ? bytesThere : 0;
  state.tries += 1;
  state.sent = from;
  const moved = (sent: number): void => {
    stall.moved();
    progress(sent, size, 'sent');
  };
  if (from < size || size === 0) await open.send(part, { path, size, from, progress: moved });
  state.step = 'read back';
  state.isSpoilt = !(await compare(part));
  if (state.isSpoilt) throw new FolderFault(OTHER_CONTENT, undefined, { passes: true });
  if (protocol.whole) return;
  state.step = 'write';
  if (await isTaken()) throw nameConflict(name);
  await open.rename(part, name);
}

/**
 * The part's name follows from the file's, so that the next attempt writes over what a killed server left; it is short whatever the name.
 */
function partNameOf(name: string): string {
  return `.onair-${createHash('sha256').update(name).digest('hex').slice(0, 24)}.part`;
}

async function isSame(
  open: OpenFolder,
  name: string,
  { size_bytes: size, sha256 }: Omit<SentFile, 'name'>,
  progress: (done: number) => void,
): Promise<boolean> {
  const bytesThere = await open.sizeOf(name);
  if (bytesThere !== undefined && bytesThere !== size) return false;
  const hash = createHash('sha256');
  let done = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, next) {
      hash.update(chunk);
      done += chunk.length;
      progress(done);
      // A server that answers without end is not read to its end.
      next(done > size ? new FolderFault(OTHER_CONTENT, undefined, { passes: true }) : null);
    },
  });
  await open.receive(name, sink);
  return done === size && hash.digest('hex') === sha256;
}

function nameConflict(name: string): AppError {
  const detail = `The folder has a file ${JSON.stringify(name)} already. Choose another name, or replace it with replace: true.`;
  return new AppError('conflict', detail, { facts: { field: 'name', value: name } });
}

function failureOf<F>(
  error: unknown,
  protocol: FolderProtocol<F>,
  { folder, place, secrets }: Transfer<F>,
  { step, tries }: TransferState,
): { error: AppError; passes: boolean } {
  if (error instanceof AppError) return { error, passes: false };
  const explained = error instanceof FolderFault ? error : protocol.explain(error, step, folder);
  const reason = explained ?? networkReason(error, place) ?? unknownReason(error, step, place);
  const upstream = quote(reason.upstream ?? '', secrets);
  const failed = new AppError('upstream_failed', sentenceOf(reason), upstream === '' ? {} : { upstream });
  // A transfer that cannot even begin fails at once: a retry is for one that broke off.
  return { error: failed, passes: tries > 0 && (explained === undefined || explained.passes === true) };
}

/** A full storage keeps the bytes of a file that it had room for. */
async function removeRest<F>(protocol: FolderProtocol<F>, { folder, name }: Transfer<F>): Promise<void> {
  if (protocol.whole) return;
  const signal = AbortSignal.timeout(CLEAN_UP_MS);
  let open: OpenFolder | undefined;
  try {
    open = await within(signal, protocol.open(folder, signal));
    await within(signal, open.remove(partNameOf(name)));
  } catch {
    // The server is away, or there is no file: the next attempt with this name writes over it.
  } finally {
    open?.close();
  }
}

/** Puts a text on the disk for as long as `use` takes: protocols send files alone. */
export async function asFile<T>({ path, text }: OutgoingFile, use: (path: string) => Promise<T>): Promise<T> {
  if (path !== undefined) return use(path);
  const scratch = await mkdtemp(join(tmpdir(), 'onair-outgoing-'));
  try {
    const written = join(scratch, 'text');
    await writeFile(written, text, { mode: 0o600 });
    return await use(written);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Yields the answers to `count` requests in their order, with `atOnce` of them under way together: requests that are sent before the last
 * answer has come keep a connection with a long delay full.
 */
export async function* inOrder<T>(
  count: number,
  atOnce: number,
  ask: (index: number) => Promise<T>,
): AsyncGenerator<T> {
  const underWay: Promise<T>[] = [];
  for (let next = 0; next < count || underWay.length > 0;) {
    for (; next < count && underWay.length < atOnce; next += 1) {
      const answer = ask(next);
      // The failure is met in its turn; before that it must not end the process as an unhandled rejection.
      answer.catch(() => undefined);
      underWay.push(answer);
    }
    yield await underWay.shift()!;
  }
}
