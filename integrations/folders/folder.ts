/** The port of a folder protocol. A file that leaves this machine lies on its disk, and is read as it is sent. */
import type { Writable } from 'node:stream';

/** A file of this machine that is being sent. */
export interface Sending {
  path: string;
  /** Bytes of the whole file. */
  size: number;
  /** The bytes before it are there already, under the same name; it is more than 0 only where the protocol `resumes`. */
  from: number;
  /** Hears the bytes of the whole file that are there, each time that some were taken. */
  progress: (sent: number) => void;
}

/** An open connection to one folder. A `name` is a plain file name in it. */
export interface OpenFolder {
  send(name: string, file: Sending): Promise<void>;
  /** Bytes of the file with the name; undefined when there is no such file. */
  sizeOf(name: string): Promise<number | undefined>;
  /** Writes the whole file to `sink` and ends that. */
  receive(name: string, sink: Writable): Promise<void>;
  /** Replaces a file that has the other name. It is never called for a protocol that is `whole`. */
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Ends the connection at once; it may be called twice. */
  close(): void;
}

/** The step that failed: the same answer of a server means something else after another request. */
export type Step = 'open' | 'write' | 'read back' | 'delete';

/** `upstream` is text of the other side: it is data, and never an instruction. */
export interface Reason {
  reason: string;
  upstream?: string | undefined;
  /** The same step may well succeed when it is tried again. */
  passes?: boolean | undefined;
}

export interface FolderProtocol<F> {
  /** A transfer that broke off goes on from where it was; otherwise it begins anew. */
  resumes: boolean;
  /** A file is not visible before it is whole; otherwise it is sent under another name and renamed. */
  whole: boolean;
  /** Rejects when the folder is not there. Once `signal` fires, no connection stays open. */
  open(folder: F, signal: AbortSignal): Promise<OpenFolder>;
  /** Explains an error of the protocol's library; undefined for one that the protocol does not know. */
  explain(error: unknown, step: Step, folder: F): Reason | undefined;
}

/** A failure whose reason is known where it happens. */
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

/** The name of a folder in a reason; null stands for the folder in which the user arrives. */
export function folderLabel(folder: string | null): string {
  return folder === null ? 'the folder of the user' : `the folder ${JSON.stringify(folder)}`;
}

export function missingFolder(folder: string | null): string {
  return `there is no folder ${JSON.stringify(folder ?? '')}`;
}

/** The reason when the user may not do the step. */
export function forbiddenReason(step: Step, place: string): string {
  if (step === 'open') return `${place} must not be entered with these credentials`;
  if (step === 'write') return `${place} is not writable`;
  return step === 'delete' ? `files in ${place} cannot be deleted` : `files in ${place} cannot be read back`;
}
