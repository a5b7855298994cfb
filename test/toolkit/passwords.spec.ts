import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { hashPassword, verifyPassword } from '../../toolkit/passwords.ts';
import { withRealPasswords } from '../helpers/weak-hash.ts';

/** RFC 7914 §12, third vector, cut to 32 bytes: scrypt("pleaseletmein", "SodiumChloride", 16384, 8, 1). */
const OLDER_SALT = Buffer.from('SodiumChloride').toString('base64url');
const OLDER_KEY = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex').toString(
  'base64url',
);
const OLDER = `scrypt$16384$8$1$${OLDER_SALT}$${OLDER_KEY}`;

it('a password check accepts the password that was hashed and no other', () =>
  withRealPasswords(async () => {
    const stored = await hashPassword('correct horse battery');
    assert.match(stored, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/u);
    assert.equal(await verifyPassword('correct horse battery', stored), true);
    assert.equal(await verifyPassword('correct horse batterY', stored), false);
    assert.equal(await verifyPassword('', stored), false);
  }));

it('a password hash is salted: the same password has another hash each time', async () => {
  assert.notEqual(await hashPassword('the same words'), await hashPassword('the same words'));
});

it('a password check takes the same characters however they are composed', async () => {
  assert.equal(await verifyPassword('cafe\u0301 au lait', await hashPassword('café au lait')), true);
});

it('a password check verifies hashes of an older cost by the parameters in the string', async () => {
  assert.equal(await verifyPassword('pleaseletmein', OLDER), true);
});

it('a password check for an unknown user or a string that is no hash refuses in the time of a real one', () =>
  withRealPasswords(async () => {
    const stored = await hashPassword('any password');
    // By the CPU that it takes, of all threads: a busy machine makes a wait longer, not a derivation.
    const costOf = async (against: string | undefined): Promise<number> => {
      const before = process.cpuUsage();
      assert.equal(await verifyPassword('wrong password', against), false);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const [real, unknown, broken] = [await costOf(stored), await costOf(undefined), await costOf('none')];
    // Derivation dwarfs everything else; a tenth tells it from no derivation at all.
    assert.ok(unknown > real / 10 && broken > real / 10, `${real} ${unknown} ${broken}`);
  }));

it('few passwords are checked at once and some wait; a flood is refused with the time to wait, and leaves nothing', () =>
  withRealPasswords(async () => {
    // Of an older cost, a sixth of today's: what is looked at is who waits.
    const flood = await Promise.allSettled(Array.from({ length: 40 }, () => verifyPassword('pleaseletmein', OLDER)));
    const refused = flood.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
    assert.equal(refused.length, 18, '2 run, 20 wait');
    for (const error of refused) {
      assert.ok(error instanceof AppError && error.code === 'rate_limited', String(error));
      assert.equal(error.extras.retryAfterSeconds, 2);
    }
    assert.equal(await verifyPassword('pleaseletmein', OLDER), true);
  }));
