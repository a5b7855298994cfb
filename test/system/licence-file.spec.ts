import assert from 'node:assert/strict';
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { verifyLicenceFile } from '../../system/licence-file.ts';
import { makeClaims, makeIssuer } from '../helpers/licences.ts';
import { testFolder } from '../helpers/test-folder.ts';

const NOW = Date.parse('2026-01-15T00:00:00.000Z');
const base64url = (value: object | Buffer): string =>
  (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url');

describe('a licence file', () => {
  const issuer = makeIssuer();
  const dir = testFolder({ after }, 'licence');

  async function refused(
    jws: string,
    code: string,
    pattern: RegExp,
    key: string | undefined = issuer.publicPem,
  ): Promise<void> {
    const error = await verifyLicenceFile(jws, key, NOW).then(
      () => assert.fail(`not refused: ${jws.slice(0, 60)}`),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, 'rule_violated');
    assert.deepEqual(
      error.extras.errors?.map((issue) => [issue.field, issue.code]),
      [['license', code]],
      error.message,
    );
    assert.match(error.message, pattern);
    assert.ok(!error.message.includes('PUBLIC KEY-----\n'), 'the key is not told');
  }

  it('a licence file gives its claims when everything fits, by a key as text, on one line, or in a file', async () => {
    const path = join(dir, 'public.pem');
    writeFileSync(path, issuer.publicPem);
    const file = await issuer.issue({ licence_id: 'A-1', features: ['editor', 'channels'], quantity: 4 });
    for (const setting of [issuer.publicPem, issuer.publicPem.replaceAll('\n', '\\n'), path]) {
      const claims = await verifyLicenceFile(file, setting, NOW);
      assert.deepEqual(claims, { ...makeClaims(), licence_id: 'A-1', features: ['editor', 'channels'], quantity: 4 });
    }
    assert.equal((await verifyLicenceFile(await issuer.issue({ expires_at: null }), path, NOW)).expires_at, null);
  });

  it('a licence file is refused without a usable key in the setting, which is named', async () => {
    const file = await issuer.issue();
    await assert.rejects(verifyLicenceFile(file, undefined, NOW), /ONAIR_LICENSE_KEY.*not set/u);
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' });
    const secret = issuer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const setting of [
      join(dir, 'missing.pem'),
      other.toString(),
      secret,
      '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
    ]) {
      await refused(file, 'no_key', /ONAIR_LICENSE_KEY holds no Ed25519 public key/u, setting);
    }
  });

  it('a licence file is refused when it was changed, or signed by another', async () => {
    const [header, payload, signature] = (await issuer.issue()).split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    await refused(
      [header, base64url({ ...claims, expires_at: null }), signature].join('.'),
      'signature',
      /does not fit/u,
    );
    await refused([header, payload, ''].join('.'), 'signature', /does not fit/u);
    await refused(await makeIssuer().issue(), 'signature', /issued by another key/u);
  });

  it('a licence file is refused with any other algorithm', async () => {
    const payload = base64url(makeClaims());
    const none = base64url({ alg: 'none', typ: 'onair-license' });
    await refused(`${none}.${payload}.`, 'algorithm', /"none"; only EdDSA/u);
    // The classic confusion: the public key, which everybody has, taken for a shared secret.
    const hs = base64url({ alg: 'HS256', typ: 'onair-license' });
    const mac = createHmac('sha256', issuer.publicPem).update(`${hs}.${payload}`).digest('base64url');
    await refused(`${hs}.${payload}.${mac}`, 'algorithm', /"HS256"; only EdDSA/u);
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const es = base64url({ alg: 'ES256', typ: 'onair-license' });
    const signature = createSign('sha256')
      .update(`${es}.${payload}`)
      .sign({ key: privateKey, dsaEncoding: 'ieee-p1363' });
    await refused(`${es}.${payload}.${base64url(signature)}`, 'algorithm', /"ES256"/u);
    const ecPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    await refused(`${es}.${payload}.${base64url(signature)}`, 'no_key', /Ed25519/u, ecPem);
  });

  it('a file is refused when it is no licence file', async () => {
    for (const text of ['', 'hello', 'a.b', 'a.b.c', '{}.{}.{}', `${base64url({})}.x.y.z.w`]) {
      await refused(text, 'malformed', /no licence file/u);
    }
    await refused(await issuer.issue({}, { typ: 'JWT' }), 'malformed', /typ "JWT"/u);
    await refused(await issuer.issue({}, { typ: undefined }), 'malformed', /another kind/u);
  });

  const malformed: [string, object, RegExp][] = [
    ['no serial', { licence_id: '' }, /licence_id/u],
    ['no feature', { features: [] }, /features/u],
    ['an unknown feature', { features: ['everything'] }, /features\.0/u],
    ['a broken quantity', { quantity: 1.5 }, /quantity/u],
    ['no quantity', { quantity: 0 }, /quantity/u],
    ['a date that is none', { expires_at: 'soon' }, /expires_at/u],
    ['no end that is said', { expires_at: undefined }, /expires_at/u],
    ['a claim that is not known', { admin: true }, /admin/u],
    ['an end before its beginning', { expires_at: '2025-01-01T00:00:00.000Z' }, /expires_at is not after issued_at/u],
  ];
  for (const [what, claims, pattern] of malformed) {
    it(`a licence file is refused with ${what}, and the refusal says so`, async () =>
      refused(await issuer.issue(claims), 'malformed', pattern));
  }

  it('a licence file is refused once it has ended, and before it was issued', async () => {
    await refused(await issuer.issue({ expires_at: '2026-01-15T00:00:00.000Z' }), 'expired', /ended at 2026-01-15/u);
    await verifyLicenceFile(await issuer.issue({ expires_at: '2026-01-15T00:00:00.001Z' }), issuer.publicPem, NOW);
    await refused(await issuer.issue({ issued_at: '2026-01-15T00:06:00.000Z' }), 'not_yet', /check the clock/u);
    await verifyLicenceFile(await issuer.issue({ issued_at: '2026-01-15T00:04:00.000Z' }), issuer.publicPem, NOW);
  });
});
