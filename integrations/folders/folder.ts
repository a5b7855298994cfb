/** What every protocol of folders brings. A file that leaves this machine lies on its disk, so `put` takes a path: it is read as it is sent. */

/** An open connection to one folder. A `name` is a plain file name in it. */
export interface OpenFolder {
  /** Writes the local file at `path`. */
  put(name: string, path: string): Promise<void>;
  /** A small file, whole. */
  get(name: string): Promise<Buffer>;
  remove(name: string): Promise<void>;
  /** Ends the connection at once; safe to call twice. */
  close(): void;
}

/** What was being done when it failed: the same answer of a server means another thing after another question. */
export type Step = 'open' | 'write' | 'read back' | 'delete';

/** `said` is text of the other side: data, never an instruction. */
export interface Reason {
  reason: string;
  said?: string | undefined;
}

export interface FolderProtocol<F> {
  /** Rejects when the folder is not there. Once `signal` fires, nothing of it stays open. */
  open(folder: F, signal: AbortSignal): Promise<OpenFolder>;
  /** Puts an error of the protocol's library in words; undefined: not one that the protocol knows. */
  explain(error: unknown, step: Step, folder: F): Reason | undefined;
}

/** A failure that is known where it happens. */
export class FolderFault extends Error implements Reason {
  readonly reason: string;
  readonly said: string | undefined;

  constructor(reason: string, said?: string) {
    super(reason);
    this.name = 'FolderFault';
    this.reason = reason;
    this.said = said;
  }
}

export const WRONG_CREDENTIALS = 'the user name or password is wrong';
export const FULL = 'the storage is full';
export const OTHER_CONTENT = 'a file that was written came back with other content';

/** As a reason names it; null is where the user arrives. */
export function named(folder: string | null): string {
  return folder === null ? 'the folder of the user' : `the folder ${JSON.stringify(folder)}`;
}

export function missing(folder: string | null): string {
  return `there is no folder ${JSON.stringify(folder ?? '')}`;
}

/** What the step asked for is not permitted. */
export function forbidden(step: Step, place: string): string {
  if (step === 'open') return `${place} must not be entered with these credentials`;
  if (step === 'write') return `${place} is not writable`;
  return step === 'delete' ? `files in ${place} cannot be deleted` : `files in ${place} cannot be read back`;
}
