/** What every protocol of folders brings. A file that leaves this machine lies on its disk: it is read as it is sent. */
import type { Writable } from 'node:stream';

/** A file of this machine on its way. */
export interface Sending {
  path: string;
  /** Of the whole file. */
  size: number;
  /** The bytes before are there already, under the same name; more than 0 only where the protocol `resumes`. */
  from: number;
  /** Told how many bytes of the whole file are there, as often as some were taken. */
  progress: (sent: number) => void;
}

/** An open connection to one folder. A `name` is a plain file name in it. */
export interface OpenFolder {
  send(name: string, file: Sending): Promise<void>;
  /** Bytes that lie there under the name; undefined: there is no such file. */
  sizeOf(name: string): Promise<number | undefined>;
  /** The whole file into `sink`, which is ended. */
  receive(name: string, sink: Writable): Promise<void>;
  /** In place of what has the other name, if there is something. Of a protocol that is `whole`, never called. */
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Ends the connection at once; safe to call twice. */
  close(): void;
}

/** What was being done when it failed: the same answer of a server means another thing after another question. */
export type Step = 'open' | 'write' | 'read back' | 'delete';

/** `said` is text of the other side: data, never an instruction. */
export interface Reason {
  reason: string;
  upstream?: string | undefined;
  /** It may well work when it is tried again. */
  passes?: boolean | undefined;
}

export interface FolderProtocol<F> {
  /** A transfer that broke off goes on from where it was; else it begins anew. */
  resumes: boolean;
  /** Nothing is seen of a file before it is whole; else it is sent under another name and renamed. */
  whole: boolean;
  /** Rejects when the folder is not there. Once `signal` fires, nothing of it stays open. */
  open(folder: F, signal: AbortSignal): Promise<OpenFolder>;
  /** Puts an error of the protocol's library in words; undefined: not one that the protocol knows. */
  explain(error: unknown, step: Step, folder: F): Reason | undefined;
}

/** A failure that is known where it happens. */
export class FolderFault extends Error implements Reason {
  readonly reason: string;
  readonly upstream: string | undefined;
  readonly passes: boolean;

  constructor(reason: string, upstream?: string, { passes = false } = {}) {
    super(reason);
    this.name = 'FolderFault';
    this.reason = reason;
    this.upstream = upstream;
    this.passes = passes;
  }
}

export const WRONG_CREDENTIALS = 'the user name or password is wrong';
export const FULL = 'the storage is full';
export const OTHER_CONTENT = 'a file that was written came back with other content';

/** As a reason names it; null is where the user arrives. */
export function folderLabel(folder: string | null): string {
  return folder === null ? 'the folder of the user' : `the folder ${JSON.stringify(folder)}`;
}

export function missingFolder(folder: string | null): string {
  return `there is no folder ${JSON.stringify(folder ?? '')}`;
}

/** What the step asked for is not permitted. */
export function forbidden(step: Step, place: string): string {
  if (step === 'open') return `${place} must not be entered with these credentials`;
  if (step === 'write') return `${place} is not writable`;
  return step === 'delete' ? `files in ${place} cannot be deleted` : `files in ${place} cannot be read back`;
}
