import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { wordsOf } from '../words.ts';

/** A certificate for 127.0.0.1 and localhost, or for other names, that nobody has signed but itself. */
export function selfSigned(
  dir: string,
  subjects = 'IP:127.0.0.1,DNS:localhost',
  days = 2,
): { key: string; certificate: string } {
  const key = join(dir, 'key.pem');
  const certificate = join(dir, 'certificate.pem');
  const names = `subjectAltName=${subjects}`;
  execFileSync(
    'openssl',
    [
      ...wordsOf('req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days'),
      String(days),
      '-subj',
      '/CN=localhost',
      '-addext',
      names,
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { stdio: 'ignore' },
  );
  return { key, certificate };
}
