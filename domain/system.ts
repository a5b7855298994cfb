/** The port to this installation itself; system/ implements it. */
import type { LicenceClaims } from './licence.ts';

export interface System {
  /** Rejects with AppError rule_violated when the signature, the issuer's key or the claims are not good; never tells the key. */
  verifyLicence(jws: string): Promise<LicenceClaims>;
  /** Writes the support bundle and answers where it is and what is in it. The file lives an hour at most. */
  supportBundle(facts: SupportFacts, signal: AbortSignal): Promise<SupportBundle>;
}

export interface SupportFacts {
  /** Files of the archive by name: what callers of the API may see, as JSON. */
  documents: Readonly<Record<string, unknown>>;
  /** Every secret that is stored: none of them may be in the archive, wherever a log has it from. */
  secrets: readonly string[];
}

export interface SupportBundle {
  path: string;
  filename: string;
  size_bytes: number;
  entries: { name: string; size_bytes: number }[];
}
