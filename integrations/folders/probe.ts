/** Proves that a folder can be used: a small file is written, read back and deleted. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { anySignal } from '../../domain/base/any-signal.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Finding } from '../../domain/base/validation.ts';
import { FolderFault, OTHER_CONTENT, type FolderProtocol, type OpenFolder, type Reason, type Step } from './folder.ts';
import { networkReason, within } from './network.ts';
import { quote, sentenceOf, unknownReason } from './reason.ts';
import { SmallFile } from './small-file.ts';

/** A person waits for the answer, and a proxy before us ends the request after 30 s or more. */
const PROBE_BOUND_MS = 15_000;
/** The second try goes over a connection that may be gone. */
const CLEAN_UP_MS = 1000;

export interface Probe<F> {
  folder: F;
  /** The server in every reason, such as `nas.example.com:443`. */
  place: string;
  /** Values that must not appear in a reason. */
  secrets: readonly (string | null)[];
  signal: AbortSignal;
  boundMs?: number | undefined;
}

/** Rejects with AppError timeout only when the caller's signal fires; every other failure is a finding. */
export async function probeFolder<F>(load: () => Promise<FolderProtocol<F>>, probe: Probe<F>): Promise<Finding> {
  const { folder, place, secrets, signal, boundMs = PROBE_BOUND_MS } = probe;
  const bound = anySignal([signal, AbortSignal.timeout(boundMs)]);
  let step: Step = 'open';
  let protocol: FolderProtocol<F> | undefined;
  const scratch = await mkdtemp(join(tmpdir(), 'onair-probe-'));
  try {
    protocol = await load();
    await within(
      bound,
      prove(protocol, folder, scratch, bound, (next) => (step = next)),
    );
    return { valid: true };
  } catch (error) {
    if (signal.aborted) throw new AppError('timeout', 'The validation was given up; nothing was stored.');
    if (bound.aborted) {
      const waitedFor = step === 'open' ? 'connecting' : `trying to ${step} a file`;
      return {
        valid: false,
        reason: `The server ${place} did not answer within ${boundMs / 1000} s (while ${waitedFor}).`,
      };
    }
    const explained = error instanceof FolderFault ? error : protocol?.explain(error, step, folder);
    const reason = explained ?? networkReason(error, place) ?? unknownReason(error, step, place);
    return { valid: false, reason: sentence(reason, secrets) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function prove<F>(
  protocol: FolderProtocol<F>,
  folder: F,
  scratch: string,
  signal: AbortSignal,
  enter: (step: Step) => void,
): Promise<void> {
  const name = `.onair-probe-${randomUUID()}`;
  const path = join(scratch, name);
  await writeFile(path, `A validation wrote this file and deletes it again. ${randomUUID()}\n`);
  const open = await protocol.open(folder, signal);
  const close = (): void => open.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    signal.throwIfAborted();
    await writeAndReadBack(open, name, path, enter);
    enter('delete');
    await open.remove(name);
  } finally {
    signal.removeEventListener('abort', close);
    open.close();
  }
}

async function writeAndReadBack(
  open: OpenFolder,
  name: string,
  path: string,
  enter: (step: Step) => void,
): Promise<void> {
  try {
    enter('write');
    const content = await readFile(path);
    await open.send(name, { path, size: content.length, from: 0, progress: () => undefined });
    enter('read back');
    const copy = new SmallFile();
    await open.receive(name, copy);
    if (!copy.content().equals(content)) throw new FolderFault(OTHER_CONTENT);
  } catch (error) {
    // The first failure is the answer, but the file is removed where that is possible: a full storage keeps an empty one.
    await Promise.race([open.remove(name).catch(() => undefined), wait(CLEAN_UP_MS, undefined, { ref: false })]);
    throw error;
  }
}

function sentence(reason: Reason, secrets: readonly (string | null)[]): string {
  const quotation = quote(reason.upstream ?? '', secrets);
  return quotation === '' ? sentenceOf(reason) : `${sentenceOf(reason)} The other side said: ${quotation}`;
}
