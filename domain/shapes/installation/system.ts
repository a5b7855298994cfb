/** The port to this installation itself; system/ implements it. */
import type { AlarmFacts } from './alarm-facts.ts';
import type { Alarm } from './finding.ts';
import type { LicenceClaims } from './licence.ts';

export interface System {
  /**
   * Rejects with AppError rule_violated when the signature, the issuer's key or the claims are not good; the message never holds the key.
   */
  verifyLicence(jws: string): Promise<LicenceClaims>;
  /** Writes the support bundle and answers its place and contents. The file lives an hour at most. */
  supportBundle(facts: SupportFacts, signal: AbortSignal): Promise<SupportBundle>;
  /** Looks at the machine of this server too, and answers each check, the worst first. What lasts keeps its beginning. */
  alarms(facts: AlarmFacts): Promise<Alarm[]>;
  readonly links: SignedLinks;
  /** Devices on other machines dial and join at it; null: this server takes none. */
  readonly devicePort: number | null;
}

/** Addresses of this server that open without a token, until a stated time. */
export interface SignedLinks {
  /** The whole URL of a path below the API's prefix; good for GET and HEAD. Anybody who has it may read. */
  sign(path: string, expiresAtMs: number): string;
  /** The whole URL of a page of this server. */
  page(path: string): string;
  /** Whether a request may be answered: its path with the prefix, and `expires` and `signature` of its query. */
  isGood(pathname: string, expires: string | null, signature: string | null): boolean;
  /** Secret key that signs tokens of a Destination's viewers, known to this server and to the Devices that serve it. */
  playbackKey(publishingId: number): string;
}

export interface SupportFacts {
  /** Files of the archive by name, with the data that callers of the API may see, as JSON. */
  documents: Readonly<Record<string, unknown>>;
  /** Every stored secret: none of them may be in the archive, in any log. */
  secrets: readonly string[];
}

export interface SupportBundle {
  path: string;
  filename: string;
  size_bytes: number;
  entries: { name: string; size_bytes: number }[];
}
