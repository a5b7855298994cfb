import type { AuditEntry } from '../../domain/shapes/installation/security.ts';

/** A place outside of the store that audit entries are copied to. */
export interface AuditCopy {
  /** The place, for the log of the server. */
  readonly name: string;
  write(entries: readonly Readonly<AuditEntry>[]): Promise<void>;
  close(): Promise<void>;
}
