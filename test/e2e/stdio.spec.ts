/** `onair mcp` as assistants run it, before a real server: what it writes, what it survives, and what the README tells to copy. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { someOf } from '../helpers/counts.ts';
import { smallBroadcast, statusOf } from '../helpers/broadcast.ts';
import { PROGRAM, startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { connectAs, KINDS, type AnyClient, type Way } from '../mcp/clients.ts';

const ALONE = fileURLToPath(new URL('../../dist/onair-mcp.mjs', import.meta.url));
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

let service: Service;
let env: Record<string, string>;
before(async () => {
  service = await startService();
  env = { ...(service.env as Record<string, string>), ONAIR_URL: service.url, ONAIR_TOKEN: TOKEN };
});
after(() => service.dispose());

interface Line {
  id?: number;
  method?: string;
  result?: any;
  error?: any;
}

/** Without an SDK between: every byte on stdout is looked at. */
function open(args: string[]): {
  child: ChildProcessWithoutNullStreams;
  ask: (message: object) => void;
  lines: () => Line[];
} {
  const child = spawn(process.execPath, args, { env });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    child,
    ask: (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    lines() {
      const lines = text.split('\n');
      assert.equal(lines.pop(), '', 'the last line is whole');
      return lines.map((line) => JSON.parse(line) as Line);
    },
  };
}

const ABOUT = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const READ = { name: 'getAllLivestreams', arguments: {} };
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } };

describe('stdout', () => {
  for (const program of someOf([[PROGRAM, 'mcp'], [ALONE], [PROGRAM, 'mcp', '--profile', 'full']], 1)) {
    it(`stdout carries the protocol alone, and the process ends with stdin: ${program.slice(0, 3).join(' ').split('/').at(-1)}`, async () => {
      const { child, ask, lines } = open(program);
      ask({ id: 1, method: 'initialize', params: HELLO });
      ask({ method: 'notifications/initialized' });
      child.stdin.write('no JSON at all\n\n[1,2]\n"x"\n');
      ask({ id: 2, method: 'tools/list' });
      ask({ id: 3, method: 'tools/call', params: READ });
      ask({ id: 4, method: 'no/such/method' });
      await until('five answers', () => lines().length === 5);
      child.stdin.end();
      const [code] = (await once(child, 'close')) as [number];
      assert.equal(code, 0);
      const byId = new Map(lines().map((line) => [line.id, line]));
      assert.equal(byId.get(1)?.result.serverInfo.name, 'onair');
      assert.ok(byId.get(2)?.result.tools.length >= 9, 'tools');
      assert.deepEqual(byId.get(3)?.result.structuredContent.rows, []);
      assert.equal(byId.get(4)?.error.code, -32601);
      const refusal = lines().find(({ id }) => (id as unknown) === null);
      assert.equal(refusal?.error.code, -32600, 'the batch of none');
    });
  }

  it('the program answers a client without a handshake, and one that greets twice', async () => {
    const { child, ask, lines } = open([PROGRAM, 'mcp']);
    const unknown = { ...ABOUT, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    ask({ id: 0, method: 'server/discover', params: { _meta: unknown } });
    ask({ id: 1, method: 'server/discover', params: { _meta: ABOUT } });
    ask({ id: 2, method: 'tools/call', params: { ...READ, _meta: ABOUT } });
    ask({ id: 4, method: 'initialize', params: HELLO });
    ask({ id: 5, method: 'tools/call', params: READ });
    child.stdin.end();
    await once(child, 'close');
    const byId = new Map(lines().map((line) => [line.id, line]));
    assert.deepEqual(byId.get(1)?.result.supportedVersions, ['2026-07-28']);
    assert.deepEqual(byId.get(2)?.result.structuredContent.rows, []);
    assert.deepEqual(byId.get(0)?.error.data.supported, ['2026-07-28']);
    assert.equal(byId.get(4)?.result.protocolVersion, '2025-11-25');
    assert.deepEqual(byId.get(5)?.result.structuredContent.rows, []);
  });
});

describe('one file in an empty folder', () => {
  for (const kind of someOf(KINDS, 1)) {
    it(`one file in an empty folder serves ${kind}`, async () => {
      const cwd = join(service.scratch, `empty-${kind.replace(' ', '-')}`);
      mkdirSync(cwd);
      copyFileSync(ALONE, join(cwd, 'onair-mcp.mjs'));
      assert.deepEqual(readdirSync(cwd), ['onair-mcp.mjs']);
      const client = await connectAs(kind, { command: process.execPath, args: ['onair-mcp.mjs'], env, cwd });
      assert.ok((await client.listTools()).tools.length >= 9, 'tools');
      assert.deepEqual((await client.callTool(READ.name, {})).structuredContent.rows, []);
      await client.close();
    });
  }

  it('one file in an empty folder starts no server, and says where one is missing', async () => {
    const ask = async (settings: Record<string, string>): Promise<Record<string, any>> => {
      const own = { ...env, ONAIR_TOKEN: 'x'.repeat(24), ...settings };
      const client = await connectAs('v1', { command: process.execPath, args: [ALONE], env: own });
      const { structuredContent } = await client.callTool(READ.name, {});
      await client.close();
      return structuredContent;
    };
    const silent = await ask({ ONAIR_URL: 'http://127.0.0.1:9' });
    assert.equal(silent['code'], 'unavailable');
    assert.match(silent['detail'], /No server answers at http:\/\/127\.0\.0\.1:9 .*onair serve/u);
    // Whose token it is, nobody knows.
    const unnamed = await ask({ ONAIR_URL: '', ONAIR_PORT: '9' });
    assert.equal(unnamed['code'], 'unauthenticated');
    assert.match(unnamed['detail'], /http:\/\/127\.0\.0\.1:9 is no server of this machine that .* knows/u);
  });
});

describe('the lines of the README to copy', () => {
  const section = README.slice(
    README.indexOf('## Give it to an assistant'),
    README.indexOf('## From nothing to on air'),
  );
  const blocks = [...section.matchAll(/```json\n(.*?)```/gsu)].map(
    ([, json]) => JSON.parse(json ?? '') as Record<string, any>,
  );

  it('the README has an entry to copy for each kind of client', () => {
    assert.equal(blocks.filter((block) => block['mcpServers'] !== undefined).length, 2);
    assert.equal(blocks.filter((block) => block['servers'] !== undefined).length, 2);
  });

  for (const [at, block] of someOf([...blocks.entries()], 2)) {
    it(`entry ${at + 1} that the README tells to copy leads to the list of tools`, async () => {
      const [entry] = Object.values((block['mcpServers'] ?? block['servers']) as Record<string, any>);
      const client = await connectAs('v2 auto', wayOf(entry));
      assert.ok((await client.listTools()).tools.length >= 9, 'tools');
      assert.deepEqual((await client.callTool(READ.name, {})).structuredContent.rows, []);
      await client.close();
    });
  }

  function wayOf({ command, args, env: own, url, headers }: Record<string, any>): Way {
    if (url !== undefined) {
      assert.equal(new URL(url as string).pathname, '/mcp');
      const authorization = String(headers.Authorization).replace(/\$\{[^}]+\}/u, TOKEN);
      return { url: `${service.url}/mcp`, headers: { Authorization: authorization } };
    }
    assert.equal(command, 'node');
    const places: Record<string, string> = { '/path/to/onair/bin/onair.js': PROGRAM, '/path/to/onair-mcp.mjs': ALONE };
    // On the machine of the server nothing but its own settings leads there.
    const given =
      own === undefined ? service.env : { ...service.env, ...own, ONAIR_URL: service.url, ONAIR_TOKEN: TOKEN };
    return {
      command: process.execPath,
      args: args.map((arg: string) => places[arg] ?? arg),
      env: given as Record<string, string>,
    };
  }
});

describe('a server that is killed in the middle of a call', () => {
  let client: AnyClient;
  let livestreamId: number;
  before(async () => {
    const nowhere = { type: 'Stream', settings: { url: 'http://127.0.0.1:9/never.m3u8' } };
    ({ livestreamId } = await smallBroadcast(service, [], nowhere));
    client = await connectAs('v2 pinned', { command: process.execPath, args: [PROGRAM, 'mcp'], env });
  });
  after(() => client.close());

  it('a server killed in a call is waited for: the call answers what became of it, and nothing was done twice', async () => {
    const steps: string[] = [];
    const args = { livestream: 'Show', wait_seconds: 60 };
    const onprogress = ({ message = '' }): unknown => steps.push(message);
    const started = client.callTool('start_livestream', args, undefined, { onprogress, timeout: 120_000 });
    await until('the start', () => steps.length > 0);
    await service.kill('SIGKILL');
    await service.restart();
    const { structuredContent, isError } = await started;
    assert.ok(!isError, JSON.stringify(structuredContent));
    assert.deepEqual(
      [structuredContent.livestreamId, structuredContent.status, structuredContent.changed],
      [livestreamId, 1, true],
    );
    const { body } = await service.rest('GET', `/livestreams/${livestreamId}/events?pageSize=100`);
    assert.equal(body.rows.filter(({ kind }: { kind: string }) => kind === 'start_requested').length, 1);
    const stopped = await client.callTool('stop_livestream', { livestream: 'Show' }, undefined, { timeout: 60_000 });
    assert.equal(stopped.structuredContent.status, 0, JSON.stringify(stopped.structuredContent));
    assert.equal((await statusOf(service, livestreamId)).status, 0);
  });
});
