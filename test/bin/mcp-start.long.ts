/** `onair mcp` where its server cannot be started says why, and does not wait for it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../helpers/ports.ts';
import { processesOf, PROGRAM } from '../helpers/service.ts';
import { connectAs } from '../mcp/clients.ts';

let scratch: string;
before(() => void (scratch = mkdtempSync(join(tmpdir(), 'onair-test-'))));
after(() => {
  // A server that was started in the background outlives who started it, as it should.
  for (let round = 0; round < 3; round += 1) {
    for (const { pid } of processesOf(scratch)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended with another of them.
      }
    }
  }
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return String((server.address() as AddressInfo).port);
}

async function firstAnswer(settings: Record<string, string>): Promise<Record<string, any>> {
  const { ONAIR_TOKEN: _token, ONAIR_URL: _url, NODE_OPTIONS: _options, ...own } = process.env;
  const env = { ...own, XDG_CONFIG_HOME: join(scratch, 'config'), ONAIR_MEDIA_PORT: '0', ...settings };
  const way = { command: process.execPath, args: [PROGRAM, 'mcp'], env: env as Record<string, string> };
  const client = await connectAs('v2 pinned', way);
  try {
    return (await client.callTool('getAllLivestreams', {}, undefined, { timeout: 120_000 })).structuredContent;
  } finally {
    await client.close();
  }
}

async function refusal(settings: Record<string, string>): Promise<string> {
  const { code, detail } = await firstAnswer(settings);
  assert.equal(code, 'unavailable', detail);
  // Of one that it had waited for in vain it would say that it does not answer.
  assert.doesNotMatch(detail as string, /does not answer at/u);
  return detail as string;
}

describe('a server that cannot be started', () => {
  it('a start on a port of a program that never answers is refused with the words of the server’s log', async () => {
    const mute = createServer();
    const port = await listening(mute);
    const detail = await refusal({ ONAIR_DATA: join(scratch, 'mute'), ONAIR_PORT: port });
    assert.match(detail, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is taken`, 'u'));
    mute.close();
  });

  it('a start on a port of another web server is refused: it says that another program listens there', async () => {
    const web = createHttpServer((_, reply) => reply.end('<p>Hello</p>'));
    const port = await listening(web);
    const detail = await refusal({ ONAIR_DATA: join(scratch, 'web'), ONAIR_PORT: port });
    assert.match(detail, new RegExp(`http://127\\.0\\.0\\.1:${port} is another program, not onair`, 'u'));
    web.closeAllConnections();
    web.close();
  });

  it('a server whose data folder cannot be made is refused with the name of the folder', async () => {
    writeFileSync(join(scratch, 'file'), '');
    const port = String(await freePort());
    const detail = await refusal({ ONAIR_DATA: join(scratch, 'file', 'data'), ONAIR_PORT: port });
    assert.match(detail, /data folder \S+\/file\/data cannot be used/u);
  });
});

it('two assistants that start at once on an empty folder share the server of one of them', async () => {
  const port = String(await freePort());
  const settings = { ONAIR_DATA: join(scratch, 'shared'), ONAIR_PORT: port };
  const answers = await Promise.all([firstAnswer(settings), firstAnswer(settings)]);
  for (const answer of answers) assert.deepEqual(answer['rows'], [], JSON.stringify(answer));
});
