/** The password that the first start prints, and the commands that manage people, with the real program. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { filesNow } from '../helpers/files-now.ts';
import { PROGRAM, startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { onTerminal } from '../helpers/terminal.ts';

const PRINTED = /as admin with the password (\S+)/gu;

function login(service: Pick<Service, 'url'>, username: string, password: string): Promise<Response> {
  return fetch(`${service.url}/svcapiv2/security/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
}

function onair(service: Service, words: string[], input = ''): string {
  const env = { ...service.env, ONAIR_URL: service.url, ONAIR_TOKEN: TOKEN };
  return execFileSync(process.execPath, [PROGRAM, ...words], { env, input, encoding: 'utf8', stdio: 'pipe' });
}

describe('a first start', () => {
  let service: Service;
  before(async () => void (service = await startService({ ONAIR_LOG_LEVEL: 'error' })));
  after(() => service.dispose());

  it('a first start without a terminal keeps no password, and names a command to set one that signs in after a restart too', async () => {
    assert.doesNotMatch(service.output(), PRINTED);
    const hint = 'set a password for the sign-in with: onair user password admin';
    await until('the log says how', () => service.output().includes(hint));
    const { body } = await service.rest('GET', '/users');
    assert.deepEqual(
      (body.rows as { has_password: boolean }[]).map((user) => user.has_password),
      [false],
    );
    const password = 'a password that somebody chose';
    onair(service, ['user', 'password', 'admin', '--password-stdin'], password);
    const signedIn = await login(service, 'admin', password);
    assert.equal(signedIn.status, 200, service.output());
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    await service.restart();
    assert.ok(!service.output().includes(password));
    const me = await fetch(`${service.url}/svcapiv2/security/me`, { headers: { cookie } });
    assert.equal(me.status, 200, 'a session outlives the server process');
    assert.equal((await login(service, 'admin', password)).status, 200);
    const mcp = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    assert.equal(mcp.status, 401, 'cookies mean nothing to MCP');
  });

  it('a first start is followed by commands for people, whose passwords come on stdin', async () => {
    const about = ['--email', 'vera@example.org', '--first-name', 'Vera', '--role', 'operator'];
    onair(service, ['user', 'add', 'vera', ...about, '--password-stdin'], 'the first password\n');
    assert.equal((await login(service, 'vera', 'the first password')).status, 200);
    onair(service, ['user', 'password', 'vera', '--password-stdin'], 'the second password');
    assert.equal((await login(service, 'vera', 'the first password')).status, 401);
    assert.equal((await login(service, 'vera', 'the second password')).status, 200);
    onair(service, ['user', 'disable', 'vera']);
    assert.equal((await login(service, 'vera', 'the second password')).status, 401);
    assert.match(onair(service, ['user', 'list']), /vera +Vera +vera@example\.org +operator +no/u);
    onair(service, ['user', 'enable', 'vera']);
    assert.equal((await login(service, 'vera', 'the second password')).status, 200);
  });

  it('no command takes a password as an argument, or does without one when nobody typed any', () => {
    const refused = (words: string[]): string => {
      try {
        return assert.fail(onair(service, words));
      } catch (error) {
        return (error as { stderr?: string }).stderr ?? String(error);
      }
    };
    assert.match(refused(['user', 'password', 'admin', 'secret-word-123']), /too many arguments/u);
    assert.match(refused(['user', 'password', 'admin']), /--password-stdin/u);
    assert.match(refused(['user', 'disable', 'admin']), /last System Administrator who can get in/u);
    assert.match(refused(['user', 'enable', 'nobody']), /There is no User "nobody"\./u);
  });
});

describe('a first start with a password of its own', () => {
  let service: Service;
  before(async () => void (service = await startService({ ONAIR_BOOTSTRAP_PASSWORD: 'chosen by the owner' })));
  after(() => service.dispose());

  it('a first start with a password of its own prints none', async () => {
    assert.equal((await login(service, 'admin', 'chosen by the owner')).status, 200);
    assert.doesNotMatch(service.output(), /password/u);
  });

  it('a first start at a terminal shows the password that it has made there and nowhere else; it signs in', async () => {
    const dataDir = join(service.scratch, 'terminal');
    const env = { ...service.env, ONAIR_DATA: dataDir, ONAIR_PORT: '0', ONAIR_BOOTSTRAP_PASSWORD: '' };
    const { screen, process: script, ended } = onTerminal([process.execPath, PROGRAM, 'serve'], env);
    try {
      const url = await until('ready', () => /^onair: ready (\S+)\r?$/mu.exec(screen())?.[1]);
      const [[, password = ''] = [], ...others] = screen().matchAll(PRINTED);
      assert.match(screen(), /\(shown this once\)/u);
      assert.deepEqual(others, []);
      assert.equal((await login({ url }, 'admin', password)).status, 200);
      for (const { path, text } of filesNow(dataDir)) assert.ok(!text.includes(password), `it is in ${path}`);
      const children = readFileSync(`/proc/${script.pid}/task/${script.pid}/children`, 'utf8').trim().split(' ');
      process.kill(Number(children[0]), 'SIGTERM');
      await ended;
    } finally {
      execFileSync(process.execPath, [PROGRAM, 'device', 'stop'], { env, stdio: 'ignore', timeout: 120_000 });
    }
  });

  it('a first start in the background, whose log is a file, prints no password: it says how to set one', async () => {
    const dataDir = join(service.scratch, 'background');
    mkdirSync(dataDir);
    const path = join(dataDir, 'serve.log');
    const log = openSync(path, 'a', 0o600);
    const env = { ...service.env, ONAIR_DATA: dataDir, ONAIR_PORT: '0', ONAIR_BOOTSTRAP_PASSWORD: '' };
    const child = spawn(process.execPath, [PROGRAM, 'serve'], { env, stdio: ['ignore', log, log] });
    closeSync(log);
    try {
      const message = await until('ready', () => {
        const text = readFileSync(path, 'utf8');
        return text.includes('onair: ready') && text;
      });
      assert.doesNotMatch(message, PRINTED);
      assert.match(message, /onair user password admin/u);
    } finally {
      child.kill('SIGTERM');
      execFileSync(process.execPath, [PROGRAM, 'device', 'stop'], { env, stdio: 'ignore', timeout: 120_000 });
    }
  });
});
