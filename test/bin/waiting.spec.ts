/** A server that is started before its database. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { it } from 'node:test';
import { WaitingServer } from '../../bin/server/waiting.ts';
import { STRANGERS } from '../../device/connections.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { itLong } from '../helpers/counts.ts';
import { freePort } from '../helpers/ports.ts';
import { PostgresServer } from '../helpers/postgres.ts';
import { endAll, PROGRAM, TOKEN } from '../helpers/service.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';

it('callers of a server that waits for its database are told so, it is alive and not ready, and its port is free afterwards', async (t) => {
  const port = await freePort();
  const waiting = new WaitingServer({ host: '127.0.0.1', port }, undefined, silentLog);
  cleanUp(t, () => waiting.close());
  waiting.onWaiting('refused');
  waiting.onWaiting('refused');
  const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });
  await until('an answer', () =>
    ask('/healthz')
      .then(({ status }) => status === 200)
      .catch(() => false),
  );
  let cut = 0;
  for (let count = 0; count < 300; count += 1) {
    const silent = connect(port, '127.0.0.1').on('error', () => undefined);
    silent.once('close', () => (cut += 1));
    cleanUp(t, () => silent.destroy());
  }
  await until('silent connections beyond a bound are closed', () => cut >= 300 - STRANGERS.perAddress);
  assert.equal((await ask('/readyz')).status, 503);
  for (const [path, method] of [
    ['/svcapiv2/livestreams/1/start', 'POST'],
    ['/svcapiv2/users?search=x', 'GET'],
    ['/mcp', 'POST'],
    ['/', 'GET'],
  ] as const) {
    const reply = await ask(path, method);
    const body = (await reply.json()) as Record<string, unknown>;
    assert.deepEqual(
      [reply.status, reply.headers.get('content-type'), reply.headers.get('retry-after'), body['code']],
      [503, 'application/problem+json', '5', 'unavailable'],
    );
    assert.match(String(body['detail']), /waits for its database/u);
  }
  await waiting.close();
  const server = createServer();
  cleanUp(t, () => void server.close());
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done));
});

itLong('a server that is started without its database begins by itself once that is there', async (t) => {
  const database = await PostgresServer.start(t);
  const url = await database.database();
  await database.kill();
  const dir = testFolder(t, 'waiting');
  cleanUp(t, () => endAll(dir));
  const port = await freePort();
  const env = {
    ...process.env,
    ONAIR_DATA: dir,
    XDG_CONFIG_HOME: dir,
    ONAIR_STORE: url,
    ONAIR_PORT: String(port),
    ONAIR_BOOTSTRAP_TOKEN: TOKEN,
  };
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { env, stdio: 'ignore' });
  cleanUp(t, () => void child.kill('SIGKILL'));
  const status = (path: string): Promise<number> =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } }).then(
      (reply) => reply.status,
      () => 0,
    );
  await until('it answers', async () => (await status('/svcapiv2/users')) === 503);
  assert.equal(await status('/healthz'), 200);
  await database.run();
  await until('it is ready', async () => (await status('/readyz')) === 200);
  assert.equal(await status('/svcapiv2/users'), 200);
});
