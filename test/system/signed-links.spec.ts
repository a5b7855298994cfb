import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { SignedLinks } from '../../domain/shapes/installation/system.ts';
import { signedLinks } from '../../system/signed-links.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { testFolder } from '../helpers/test-folder.ts';

const AT = Date.parse('2026-01-01T00:00:00Z');

function world(
  t: TestContext,
  base = 'https://tv.example/',
): { dataDir: string; clock: FakeClock; open: () => SignedLinks } {
  const dataDir = testFolder(t, 'links');
  const clock = new FakeClock(new Date(AT).toISOString());
  return { dataDir, clock, open: () => signedLinks({ dataDir, clock, address: { url: () => base, prefix: '/v2' } }) };
}

function partsOf(url: string): [string, string | null, string | null] {
  const { pathname, searchParams } = new URL(url);
  return [pathname, searchParams.get('expires'), searchParams.get('signature')];
}

describe('signed links', () => {
  it('signed links are HMAC-SHA256 over method, path and expiry, under the public address', (t) => {
    const { dataDir, open } = world(t);
    const url = open().sign('/recordings/7/file', AT + 60_000);
    const key = readFileSync(join(dataDir, 'link.key'));
    assert.equal(key.length, 32);
    assert.equal(statSync(join(dataDir, 'link.key')).mode & 0o777, 0o600);
    const expires = AT / 1000 + 60;
    const signature = createHmac('sha256', key).update(`GET\n/v2/recordings/7/file\n${expires}`).digest('base64url');
    assert.equal(url, `https://tv.example/v2/recordings/7/file?expires=${expires}&signature=${signature}`);
  });

  it('signed links are good until their time, also after a restart, and for nothing else', (t) => {
    const { clock, open } = world(t);
    const [path, expires, signature] = partsOf(open().sign('/recordings/7/file', AT + 60_000));
    const links = open();
    assert.ok(links.isGood(path, expires, signature), 'before its time');
    assert.ok(!links.isGood('/v2/recordings/8/file', expires, signature), 'another path');
    assert.ok(!links.isGood(path, String(Number(expires) + 1), signature), 'a later time');
    assert.ok(!links.isGood(path, `0${expires}`, signature), 'the same time, written otherwise');
    const twisted = [0, 20, 42].map((at) => {
      const other = signature![at] === 'A' ? 'B' : 'A';
      return `${signature!.slice(0, at)}${other}${signature!.slice(at + 1)}`;
    });
    for (const other of ['', 'A'.repeat(43), `${signature}=`, signature!.slice(0, -1), ...twisted])
      assert.ok(!links.isGood(path, expires, other), `signature ${other}`);
    assert.ok(!links.isGood(path, null, signature) && !links.isGood(path, expires, null), 'something is missing');
    clock.advance(59_999);
    assert.ok(links.isGood(path, expires, signature), 'in its last moment');
    clock.advance(1);
    assert.ok(!links.isGood(path, expires, signature), 'its time is over');
  });

  it('signed links of another installation are refused here, and a damaged key is reported', (t) => {
    const [path, expires, signature] = partsOf(
      world(t)
        .open()
        .sign('/recordings/7/file', AT + 60_000),
    );
    const other = world(t);
    assert.ok(!other.open().isGood(path, expires, signature), 'a key of its own');
    writeFileSync(join(other.dataDir, 'link.key'), 'short');
    assert.throws(() => other.open().sign('/recordings/7/file', AT + 60_000), /is no key of 32 bytes/u);
  });
});
