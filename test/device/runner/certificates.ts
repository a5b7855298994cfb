/** Authorities of the tests, and certificates that they have signed. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordsOf } from '../../helpers/words.ts';

/** An authority, and a certificate for `names` that it has signed. */
export function authority(dir: string, names: string): { ca: string; key: string; cert: string } {
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: dir, stdio: ['ignore', 'ignore', 'ignore'] });
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...fresh, '-days', '2', '-subj', '/CN=Test authority', '-keyout', 'ca.key', '-out', 'ca.pem');
  openssl('req', ...fresh, '-subj', '/CN=server', '-keyout', 'server.key', '-out', 'server.csr');
  writeFileSync(join(dir, 'names.cnf'), `subjectAltName=${names}\n`);
  openssl(
    ...wordsOf('x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names.cnf -out'),
    ...wordsOf('server.pem'),
  );
  const read = (name: string): string => readFileSync(join(dir, name), 'utf8');
  return { ca: join(dir, 'ca.pem'), key: read('server.key'), cert: read('server.pem') };
}
