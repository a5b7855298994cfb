/** Sign-in at a terminal: tokens by server, and which server commands speak to. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { onair, type Ended } from '../helpers/cli.ts';
import { itLong } from '../helpers/counts.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';

const PASSWORD = 'correct horse battery staple';

interface Made {
  name: string;
  created_at: string;
  expires_at: string | null;
  revoked_at?: string | null;
}
const isOfLogin = ({ name }: Made): boolean => name.startsWith('onair login ');

describe('onair login', () => {
  let service: Service;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    service = await startService({ ONAIR_BOOTSTRAP_PASSWORD: PASSWORD });
    // The settings of this machine name another server than the one that is signed in to.
    env = { ...service.env, ONAIR_PORT: '9', XDG_CONFIG_HOME: join(service.scratch, 'elsewhere') };
    const others = { username: 'olive', email: 'o@h.example', password: PASSWORD, user_role: 2 };
    await service.rest('POST', '/users', others);
  });
  after(() => service.dispose());

  const run = (words: string[], input = ''): Promise<Ended> => onair(words, env, { input });
  const file = (): string => join(service.scratch, 'elsewhere', 'onair', 'credentials.json');

  it('keeps nothing where the token is refused, and says so', async () => {
    const { code, stdout } = await run(['login', service.url], 'no-such-token-0123456789');
    assert.deepEqual([code, stdout], [4, '']);
    assert.equal((await run(['context', 'ls', '-o', 'json'])).stdout.trim(), '[]');
    assert.equal((await run(['login', service.url], '')).code, 2);
    assert.equal((await run(['login', 'http://127.0.0.1:9'], TOKEN)).code, 6);
    assert.equal((await run(['status'])).code, 6);
  });

  it('keeps a token from stdin for its owner alone, and commands speak to that server from then on', async () => {
    const { code, stdout } = await run(['login', `${service.url}/`], `${TOKEN}\n`);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^Signed in to ${service.url} as admin, an administrator\\.`, 'u'));
    assert.doesNotMatch(stdout, new RegExp(TOKEN, 'u'));
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    const kept = JSON.parse(readFileSync(file(), 'utf8')) as Record<string, { token: string }>;
    assert.equal(kept[service.url]?.token, TOKEN);
    assert.match((await run(['status'])).stdout, /There are no Live streams yet/u);
  });

  it('signs in by name and password and has a token made, where the user may make one', async () => {
    const { code, stderr } = await run(['login', service.url, '--username', 'admin'], PASSWORD);
    assert.equal(code, 0, stderr);
    const kept = JSON.parse(readFileSync(file(), 'utf8')) as Record<string, { token: string }>;
    assert.notEqual(kept[service.url]?.token, TOKEN);
    const tokens = JSON.parse((await run(['token', 'list', '-o', 'json'])).stdout) as Made[];
    const made = tokens.find(isOfLogin);
    const days = (Date.parse(made!.expires_at!) - Date.parse(made!.created_at)) / 86_400_000;
    assert.equal(Math.round(days), 90);
    const operator = await run(['login', service.url, '--username', 'olive'], PASSWORD);
    assert.equal(operator.code, 4);
    assert.match(operator.stderr, /olive may sign in, but may not make a token/u);
    assert.equal((await run(['login', service.url, '--username', 'admin'], 'wrong password')).code, 4);
  });

  it('logout, and a further login, revoke the token that a login has made; logout keeps a given one good, and forgets both', async () => {
    const login = ['login', service.url, '--username', 'admin', '--expires-days', '1'];
    assert.deepEqual([(await run(login, PASSWORD)).stderr, (await run(login, PASSWORD)).stderr], ['', '']);
    const tokens = JSON.parse((await run(['token', 'list', '-o', 'json'])).stdout) as Made[];
    assert.equal(tokens.filter(isOfLogin).filter(({ revoked_at }) => !revoked_at).length, 1);
    const kept = readFileSync(file(), 'utf8');
    assert.match((await run(['logout'])).stdout, /Its token is revoked/u);
    assert.deepEqual(JSON.parse(readFileSync(file(), 'utf8')), {});
    writeFileSync(file(), kept);
    assert.equal((await run(['status'])).code, 4, 'the token is good no more');
    assert.equal((await run(['logout', new URL(service.url).host])).code, 0, 'which is no reason to keep it');
    assert.equal((await run(['logout'])).code, 3);
    assert.equal((await run(['login', service.url], TOKEN)).code, 0);
    assert.match((await run(['logout'])).stdout, /stays good/u);
    assert.equal((await run(['login', service.url], TOKEN)).code, 0);
    assert.equal((await run(['context', 'rm', service.url])).code, 0);
    assert.equal((await run(['context', 'ls', '-o', 'json'])).stdout.trim(), '[]');
    assert.equal((await run(['login', service.url], TOKEN)).code, 0);
  });

  itLong(
    'the last sign-in is in force; context use and --context choose another, ONAIR_URL wins over the file',
    async () => {
      const other = service.url.replace('127.0.0.1', 'localhost');
      assert.equal((await run(['login', other], TOKEN)).code, 0);
      const contexts = JSON.parse((await run(['context', 'ls', '-o', 'json'])).stdout) as {
        url: string;
        current: boolean;
      }[];
      assert.deepEqual(contexts, [
        { url: other, username: 'admin', current: true },
        { url: service.url, username: 'admin', current: false },
      ]);
      assert.equal((await run(['context', 'use', service.url])).code, 0);
      assert.match((await run(['context', 'ls'])).stdout, new RegExp(`yes +${service.url} `, 'u'));
      assert.equal((await run(['status', '--context', other])).code, 0);
      assert.equal((await run(['--context', other, 'status'])).code, 0);
      assert.equal((await run(['context', 'use', 'https://nowhere.example'])).code, 3);
      const elsewhere = { ...env, ONAIR_URL: 'http://127.0.0.1:9', ONAIR_TOKEN: TOKEN };
      assert.equal((await onair(['status'], elsewhere)).code, 6);
    },
  );

  it('a token of the environment is not sent to a server that only the file names, unless it is of this machine', async () => {
    const path = file();
    const kept = readFileSync(path, 'utf8');
    assert.ok(kept.includes('"current": true'));
    const { code, stderr } = await onair(['status'], { ...env, ONAIR_TOKEN: 'some-other-token-0123456789' });
    assert.equal(code, 4, stderr);
  });
});
