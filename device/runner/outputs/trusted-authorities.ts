/** The certificate authorities of this machine, read once for all connections: there are some 140 of them. */
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { authoritiesFile } from '../process/certificates.ts';

let known: { file: string | undefined; changedMs: number; context: SecureContext } | undefined;

/** A file that has changed since is read again. Throws the filesystem's own error. */
export function trustedAuthorities(): SecureContext {
  const file = authoritiesFile();
  const changedMs = file === undefined ? 0 : statSync(file).mtimeMs;
  if (known?.file !== file || known?.changedMs !== changedMs) {
    // Without a file of this machine those are trusted that Node brings along.
    const context = createSecureContext(file === undefined ? {} : { ca: readFileSync(file) });
    known = { file, changedMs, context };
  }
  return known!.context;
}
