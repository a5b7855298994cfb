import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { certifiedHost, readPair } from '../../../device/delivery/tls-pair.ts';
import { selfSigned } from '../../helpers/servers/certificate.ts';
import { testFolder } from '../../helpers/test-folder.ts';

it('a pair for TLS is refused with the file named where one is missing, is none, or asks for a passphrase', (t) => {
  const dir = testFolder(t, 'tls-pair');
  const { certificate, key } = selfSigned(dir);
  assert.match(readPair({ certificate, key }).key, /PRIVATE KEY/u);
  const none = join(dir, 'none.pem');
  writeFileSync(none, 'nothing');
  const locked = join(dir, 'locked.pem');
  execFileSync('openssl', ['pkey', '-in', key, '-aes256', '-passout', 'pass:x', '-out', locked]);
  assert.throws(
    () => readPair({ certificate: join(dir, 'gone.pem'), key }),
    /certificate \S+gone\.pem cannot be read/u,
  );
  assert.throws(() => readPair({ certificate: none, key }), /none\.pem has no certificate/u);
  assert.throws(() => readPair({ certificate, key: none }), /none\.pem has no private key/u);
  assert.throws(() => readPair({ certificate, key: locked }), /without a passphrase/u);
});

it('the host of an address over TLS is the one of the machine where the certificate is for it, else the first name of the certificate', (t) => {
  const dir = testFolder(t, 'tls-pair');
  const leafFor = (names: string): ReturnType<typeof readPair>['leaf'] => {
    const own = join(dir, names.replace(/\W/gu, '-'));
    mkdirSync(own);
    return readPair(selfSigned(own, names)).leaf;
  };
  const local = leafFor('IP:127.0.0.1,IP:::1,DNS:localhost');
  assert.deepEqual([certifiedHost('127.0.0.1', local), certifiedHost('[::1]', local)], ['127.0.0.1', '[::1]']);
  assert.equal(certifiedHost('192.0.2.7', leafFor('DNS:*.example,DNS:studio.example')), 'studio.example');
  assert.equal(certifiedHost('192.0.2.7', leafFor('DNS:*.example')), '192.0.2.7');
  assert.equal(certifiedHost('192.0.2.7', undefined), '192.0.2.7');
});
