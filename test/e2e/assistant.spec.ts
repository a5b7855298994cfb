/** An assistant meets a machine where nothing runs yet: `onair mcp` alone must do. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { pidsOf, processesOf, PROGRAM } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { TestClient } from '../helpers/mcp-client.ts';

describe('an assistant on a machine where no server runs', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'onair-test-'));
  let env: Record<string, string>;
  let client: Client;

  async function connect(): Promise<Client> {
    const fresh = new TestClient('assistant');
    await fresh.connect(
      new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], env, stderr: 'ignore' }),
    );
    return fresh;
  }
  const list = async (operationId = 'getAllLivestreams'): Promise<unknown> => {
    const args = { operationId, arguments: {} };
    const answer = await client.callTool({ name: 'call_tool', arguments: args }, undefined, { timeout: 60_000 });
    assert.notEqual(answer.isError, true, JSON.stringify(answer.structuredContent));
    return answer.structuredContent;
  };
  const servers = (): number[] => pidsOf(scratch, /onair\S* serve/u);

  before(async () => {
    env = {
      PATH: process.env['PATH'] ?? '',
      HOME: scratch,
      ONAIR_DATA: join(scratch, 'data'),
      ONAIR_PORT: '0',
      ONAIR_MEDIA_PORT: '0',
    };
    client = await connect();
  });
  after(async () => {
    await client.close();
    execFileSync(process.execPath, [PROGRAM, 'device', 'stop'], { env, stdio: 'ignore', timeout: 120_000 });
    for (const pid of servers()) process.kill(pid, 'SIGTERM');
    await until('everything ended', () => processesOf(scratch).length === 0);
    rmSync(scratch, { recursive: true, force: true });
  });

  it('an assistant starts a server with the first call, which finds its Device, with a token that only the user can read', async () => {
    assert.deepEqual(servers(), []);
    const { rows } = (await list('getDevicesLiveStatus')) as { rows: { online: boolean }[] };
    assert.deepEqual(
      rows.map(({ online }) => online),
      [true],
    );
    assert.deepEqual((await list()) as object, {
      rows: [],
      pagination: { page: 1, pageSize: 20, total: 0, totalPages: 0 },
    });
    assert.equal(servers().length, 1);
    const credentials = join(scratch, '.config', 'onair', 'credentials.json');
    assert.equal(statSync(credentials).mode & 0o777, 0o600);
    const { url } = JSON.parse(readFileSync(join(scratch, 'data', 'address.json'), 'utf8')) as { url: string };
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(credentials, 'utf8')) as object), [url]);
  });

  it('an assistant leaves the server running when it quits, and finds it again', async () => {
    const before = servers();
    await client.close();
    assert.deepEqual(servers(), before);
    client = await connect();
    await list();
    assert.deepEqual(servers(), before);
  });

  it('an assistant goes on in the same session when the server was killed', async () => {
    const [old] = servers();
    assert.ok(old);
    process.kill(old, 'SIGKILL');
    await until('the server to end', () => !servers().includes(old));
    await list();
    assert.equal(servers().length, 1);
  });
});
