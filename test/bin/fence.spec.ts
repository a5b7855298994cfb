/** ONAIR_FENCE: a program or a web address of the operator, and what its answer counts as. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createFence } from '../../bin/server/fence.ts';
import { loadConfig } from '../../bin/settings/config.ts';
import { openSettings } from '../../bin/settings/open-settings.ts';
import { useEnvironment } from '../../device/environment.ts';
import type { FenceAnswer } from '../../domain/ports/fence.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';

const DEVICE = { id: 3, name: '--help; enc 1', address: '10.0.0.3:8092' };

function program(t: TestContext, lines: string): { path: string; file: (name: string) => string } {
  const dir = testFolder(t, 'fence');
  const path = join(dir, 'fence');
  writeFileSync(path, `#!/bin/sh\ncd ${dir}\n${lines}\n`);
  chmodSync(path, 0o755);
  return { path, file: (name) => join(dir, name) };
}

const ask = async (setting: string, boundMs?: number): Promise<FenceAnswer> => createFence(setting, boundMs)!(DEVICE);

test('a program is told the Device by variables alone, knows no secret of the server, and has cut it off when it ends with 0', async (t) => {
  useEnvironment({ variables: { PATH: process.env['PATH'], PGPASSWORD: 'canary', ONAIR_STORE: 'canary' } });
  t.after(() => useEnvironment({ variables: {} }));
  const { path, file } = program(t, 'env > env; echo "$#" > words');
  assert.deepEqual(await ask(path), { outcome: 'done' });
  const variables = readFileSync(file('env'), 'utf8');
  for (const line of ['DEVICE_ID=3', 'DEVICE_NAME=--help; enc 1', 'DEVICE_ADDRESS=10.0.0.3:8092'])
    assert.ok(variables.includes(`FENCE_${line}\n`), variables);
  assert.ok(!variables.includes('canary'));
  assert.equal(readFileSync(file('words'), 'utf8'), '0\n');
});

test('a program that fails, ends by a signal or is not there has not cut it off', async (t) => {
  const answers = [
    await ask(program(t, 'exit 3').path),
    await ask(program(t, 'kill -TERM $$').path),
    await ask('/nowhere/fence'),
  ];
  assert.deepEqual(
    answers.map(({ outcome }) => outcome),
    ['failed', 'failed', 'failed'],
  );
  assert.match(JSON.stringify(answers), /exit code 3.*signal SIGTERM.*ENOENT/u);
});

test('a program that does not end in time is killed with all that it has started', async (t) => {
  const { path, file } = program(t, 'sleep 600 & echo $! > pid; wait');
  const { outcome } = await ask(path, 1500);
  assert.equal(outcome, 'timed_out');
  const pid = Number(readFileSync(file('pid'), 'utf8'));
  await until('its end', () => !existsSync(`/proc/${pid}`) || / Z /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
});

test('a web address is told the Device as JSON with its name and password, and 2xx alone means that it is cut off', async (t) => {
  const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ headers: request.headers, body });
      const status = Number(request.url?.slice(1));
      if (status > 0) response.writeHead(status, { location: '/200' }).end('x');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const at = (path: string): string => `http://user:p%20w@127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;
  assert.deepEqual(await ask(at('204')), { outcome: 'done' });
  assert.deepEqual(JSON.parse(seen[0]!.body), DEVICE);
  assert.equal(seen[0]!.headers.authorization, `Basic ${Buffer.from('user:p w').toString('base64')}`);
  for (const status of ['302', '403', '500'])
    assert.deepEqual(await ask(at(status)), { outcome: 'failed', reason: `it answered ${status}` });
  assert.equal(seen.length, 4, 'a redirection is not followed');
  assert.equal((await ask(at('0'), 1500)).outcome, 'timed_out');
  const nobody = await ask('http://127.0.0.1:1/');
  assert.equal(nobody.outcome, 'failed');
});

test('ONAIR_FENCE is an absolute path or a web address, is refused without being repeated, and is in no support bundle', () => {
  const load = (value: string): ReturnType<typeof loadConfig> =>
    loadConfig({}, { ONAIR_FENCE: value, XDG_CONFIG_HOME: '/nonexistent', XDG_DATA_HOME: '/nonexistent' }, '/');
  for (const value of ['/etc/onair/fence', 'https://u:canary@power.example.com/off']) {
    assert.equal(load(value).fence, value);
    assert.ok(!JSON.stringify(openSettings(load(value))).includes(value));
  }
  for (const value of ['fence --canary', 'ftp://canary@power.example.com'])
    assert.throws(
      () => load(value),
      ({ message }: Error) => message.includes('ONAIR_FENCE must be the absolute path') && !message.includes('canary'),
    );
});
