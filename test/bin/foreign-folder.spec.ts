/** The program in a folder of somebody else: nothing that lies there decides where a token goes or what is started. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../helpers/ports.ts';
import { endAll, processesOf, PROGRAM } from '../helpers/service.ts';

let scratch: string;
let stranger: Server;
/** Requests that the stranger's server received. */
const requests: { url: string; authorization: string | undefined }[] = [];

before(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'onair-test-'));
  stranger = createServer((request, reply) => {
    requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
    reply.setHeader('content-type', 'application/json').end(JSON.stringify({ status: 'ready', store: 'ok', data: {} }));
  });
  await once(stranger.listen(0, '127.0.0.1'), 'listening');
});
after(() => {
  stranger.closeAllConnections();
  stranger.close();
  endAll(scratch);
});

function folderWith(name: string, settings: object): string {
  const folder = mkdtempSync(join(scratch, name));
  writeFileSync(join(folder, 'onair.config.json'), JSON.stringify(settings));
  return folder;
}

/** Runs the program there until it ends, or until `input` was given and a while has passed. */
async function run(cwd: string, words: string[], settings: NodeJS.ProcessEnv, input = ''): Promise<string> {
  const { ONAIR_TOKEN: _token, ONAIR_URL: _url, NODE_OPTIONS: _options, ...own } = process.env;
  // The caller's own settings: a port of his that nobody listens on.
  const env = { ...own, XDG_CONFIG_HOME: join(scratch, 'config'), XDG_DATA_HOME: join(scratch, 'share'), ...settings };
  const child = spawn(process.execPath, [PROGRAM, ...words], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(input);
  await once(child, 'close');
  return output;
}

/** One that looks like a home folder: where HOME or XDG_CONFIG_HOME lead into the working directory, it is taken for one. */
function homeLikeFolder(settings: object): string {
  const folder = mkdtempSync(join(scratch, 'home-like-'));
  const own = join(folder, '.config', 'onair');
  mkdirSync(own, { recursive: true });
  const { port } = stranger.address() as AddressInfo;
  writeFileSync(join(own, 'config.json'), JSON.stringify({ port, ...settings }));
  writeFileSync(join(own, 'credentials.json'), JSON.stringify({ [`http://127.0.0.1:${port}`]: { token: 'x' } }));
  return folder;
}

describe('a settings file in the working directory', () => {
  it('a settings file in the working directory does not send the token of the environment to its host', async () => {
    const { port } = stranger.address() as AddressInfo;
    const folder = folderWith('host-', { host: '127.0.0.1', port });
    const env = { ONAIR_TOKEN: 'secret_of_the_caller_0123456789', ONAIR_PORT: String(await freePort()) };
    const output = await run(folder, ['status'], env);
    assert.match(output, /ONAIR_TOKEN is set and ONAIR_URL is not/u);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getAllLivestreams', arguments: {} } };
    await run(folder, ['mcp'], env, `${JSON.stringify(call)}\n`);
    assert.deepEqual(requests, [], 'the folder’s host has heard nothing');
  });

  it('a file in the working directory is not the caller’s settings by an empty or relative HOME or relative XDG_CONFIG_HOME', async () => {
    requests.length = 0;
    const folder = homeLikeFolder({});
    const home = mkdtempSync(join(scratch, 'home-'));
    const token = { ONAIR_TOKEN: 'secret_of_the_caller_0123456789' };
    for (const env of [
      { XDG_CONFIG_HOME: '', HOME: '' },
      { XDG_CONFIG_HOME: '', HOME: '.' },
      { XDG_CONFIG_HOME: '.config', HOME: home },
      { XDG_CONFIG_HOME: './.config', HOME: '' },
    ]) {
      const output = await run(folder, ['status'], { ...token, ...env });
      assert.doesNotMatch(output, /settings from \.|home-like/u, JSON.stringify(env));
      if (env.XDG_CONFIG_HOME !== '')
        assert.equal(output.match(/XDG_CONFIG_HOME is ignored, for \S+ is no absolute path/gu)?.length, 1, output);
    }
    assert.deepEqual(requests, [], 'the folder’s host has heard nothing');
  });

  it('a settings file in the working directory gives a server started there no token, by a relative XDG_CONFIG_HOME', async () => {
    const known = 'token-that-the-folder-knows-0123456789';
    const folder = homeLikeFolder({ bootstrapToken: known });
    const home = mkdtempSync(join(scratch, 'home-'));
    const own = { ONAIR_PORT: String(await freePort()), XDG_DATA_HOME: 'data', XDG_CONFIG_HOME: '.config', HOME: home };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getAllLivestreams', arguments: {} } };
    const output = await run(folder, ['mcp'], own, `${JSON.stringify(call)}\n`);
    assert.equal(existsSync(join(folder, 'data')), false);
    assert.ok(existsSync(join(home, '.local', 'share', 'onair')), output);
    const reply = await fetch(`http://127.0.0.1:${own.ONAIR_PORT}/svcapiv2/users`, {
      headers: { authorization: `Bearer ${known}` },
    }).catch(() => undefined);
    assert.notEqual(reply?.status, 200, 'the server of the caller does not know the folder’s token');
  });

  it('a settings file in the working directory starts no server of its own data, address and token', async () => {
    const port = await freePort();
    const known = 'token-that-the-folder-knows-0123456789';
    const folder = folderWith('data-', { host: '0.0.0.0', port, data: './d', bootstrapToken: known });
    const own = { ONAIR_PORT: String(await freePort()), ONAIR_DATA: join(scratch, 'own') };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getAllLivestreams', arguments: {} } };
    await run(folder, ['mcp'], own, `${JSON.stringify(call)}\n`);
    assert.equal(existsSync(join(folder, 'd')), false);
    const reply = await fetch(`http://127.0.0.1:${own.ONAIR_PORT}/svcapiv2/users`, {
      headers: { authorization: `Bearer ${known}` },
    }).catch(() => undefined);
    assert.notEqual(reply?.status, 200, 'the server of the caller does not know the folder’s token');
    assert.ok(processesOf(folder).length === 0);
  });
});
