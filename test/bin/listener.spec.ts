/** A token goes to no other user of this machine who listens where the server was. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { uidsIn } from '../../bin/server/listener.ts';
import { onair } from '../helpers/cli.ts';
import { PROGRAM, TOKEN } from '../helpers/service.ts';
import { testFolder } from '../helpers/test-folder.ts';

/** Answers as a server of ours, and prints each request. */
const STRANGER = `
  const server = require('node:http').createServer(({ method, url, headers }, reply) => {
    console.log(JSON.stringify({ method, url, authorization: headers.authorization }));
    reply.setHeader('content-type', 'application/json').end('{"status":"ready","store":"ok","timezone":"UTC","data":{"username":"admin","user_role":1}}');
  });
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));`;
const REFUSED = /is of nobody \(user 65534\)[^]*was not sent/u;
const isRoot = process.geteuid?.() === 0;

/** The answer to a call of `onair mcp`. */
async function assistant(env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const status = { name: 'get_livestream_status', arguments: { livestream: 1 } };
  const messages = [
    { method: 'initialize', id: 1, params: client },
    { method: 'notifications/initialized' },
    { method: 'tools/call', id: 2, params: status },
  ];
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if ((JSON.parse(line) as { id?: number }).id === 2) return line;
    }
    throw new Error('It ended without an answer.');
  } finally {
    child.kill('SIGKILL');
  }
}

describe('a stranger at the port of a server that is down', { skip: isRoot ? false : 'needs a second user' }, () => {
  const requests: { url?: string; authorization?: string }[] = [];
  let stranger: ChildProcess;
  let url: string;
  let env: NodeJS.ProcessEnv;
  const home = testFolder({ after }, 'stranger');
  before(async () => {
    const words = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '-e', STRANGER];
    stranger = spawn('setpriv', words, { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: stranger.stdout! });
    const [first] = (await once(lines, 'line')) as [string];
    const { port } = JSON.parse(first) as { port: number };
    lines.on('line', (line) => requests.push(JSON.parse(line) as (typeof requests)[number]));
    url = `http://127.0.0.1:${port}`;
    mkdirSync(join(home, 'onair'));
    writeFileSync(
      join(home, 'onair', 'credentials.json'),
      JSON.stringify({ [url]: { token: TOKEN, kid: 'made-by-login' } }),
    );
    const { PATH } = process.env;
    env = { PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, ONAIR_PORT: String(port) };
  });
  after(() => stranger.kill());

  it('no command, upload or assistant sends it the token, by whatever way the token is known', async () => {
    const asset = join(env['HOME']!, 'logo.png');
    writeFileSync(asset, 'png');
    const given = { ONAIR_URL: url.replace('127.0.0.1', 'localhost'), ONAIR_TOKEN: TOKEN };
    const tries: [string[], NodeJS.ProcessEnv][] = [
      [['status'], {}],
      [['call', 'getAllLivestreams'], given],
      [['upload', asset, '--type', 'logos'], {}],
      [['logout', url], {}],
    ];
    for (const [words, more] of tries) {
      const { code, stderr } = await onair(words, { ...env, ...more });
      assert.match(stderr, REFUSED, words.join(' '));
      assert.notEqual(code, 0);
    }
    for (const more of [{}, given]) assert.match(await assistant({ ...env, ...more }), REFUSED);
    assert.deepEqual(
      requests.filter(({ authorization }) => authorization !== undefined),
      [],
    );
    assert.ok(
      requests.some(({ url: path }) => path === '/readyz'),
      'it was reached',
    );
  });

  it('a server of another user is one that somebody has signed in to, and its token goes to that user alone', async () => {
    const signedIn = await onair(['login', url], env, { input: TOKEN });
    assert.match(signedIn.stderr, /what listens at .* is of nobody \(user 65534\): go on only if/u);
    assert.equal(signedIn.code, 0, signedIn.stderr);
    const answered = await onair(['call', 'getAllLivestreams'], env);
    assert.equal(answered.code, 0, answered.stderr);
    assert.equal(requests.at(-1)?.authorization, `Bearer ${TOKEN}`);
  });
});

it('the kernel’s table tells the user of each listener of a port, whatever its address', () => {
  const row = (local: string, state: string, uid: number): string =>
    `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 ${uid}        0 12345 1 0000000000000000 100 0 0 10 0`;
  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
  const rows = [row('0100007F:1F9A', '0A', 1000), row('00000000:1F9A', '0A', 0), row('0100007F:1F9A', '01', 7)];
  const six = row('00000000000000000000000000000000:1F9A', '0A', 33);
  assert.deepEqual(uidsIn([head, ...rows, row('0100007F:1F9B', '0A', 5), ''].join('\n'), 8090), [1000, 0]);
  assert.deepEqual(uidsIn([head, six].join('\n'), 8090), [33]);
});
