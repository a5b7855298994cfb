/** Calls that come together leave the event loop to others between them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { LINE_PROTOCOL } from '../../mcp/uplink/upgrade.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { systemClock, type Clock } from '../../domain/clock.ts';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';

const CALLS = 60;

let app: TestApp<Clock>;
let api: McpApi;
let livestreamId: number;
/** In their order: each call that is begun, and each turn of the event loop. */
let seen: ('call' | 'turn')[] = [];
let isWatching = false;
before(async () => {
  app = await startTestApp({ clock: systemClock });
  livestreamId = await seedBroadcast(app.store);
  const { dispatcher } = app;
  const watched: TestApp<Clock> = {
    ...app,
    dispatcher: {
      ...dispatcher,
      dispatch: (call) => {
        seen.push('call');
        return dispatcher.dispatch(call);
      },
    },
  };
  api = await startMcpApi('full', { app: watched });
});
after(async () => {
  await api.close();
  await app.close();
});

const call = (id: number): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'getLivestreamById', arguments: { livestreamId } },
});
const calls = (): object[] => Array.from({ length: CALLS }, (_, id) => call(id));

async function watching(act: () => Promise<void>): Promise<void> {
  seen = [];
  isWatching = true;
  const turn = (): void => {
    seen.push('turn');
    if (isWatching) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await act();
  } finally {
    isWatching = false;
  }
}

/** Pairs of calls with no turn between them. */
function crowded(): number {
  assert.equal(seen.filter((what) => what === 'call').length, CALLS);
  return seen.filter((what, at) => what === 'call' && seen[at - 1] === 'call').length;
}

describe('the event loop between calls that arrive together', () => {
  it('between two calls of one batch the event loop runs, so that other clients are served', async () => {
    await watching(async () => {
      const answers = (await (await api.post(calls())).json()) as { id: number }[];
      assert.deepEqual(
        answers.map(({ id }) => id),
        Array.from({ length: CALLS }, (_, id) => id),
      );
    });
    assert.equal(crowded(), 0);
  });

  it('between two calls that a standing connection sends in one piece the event loop runs', async () => {
    const { host, port } = new URL(api.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1' });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'connect');
    const head = `GET /mcp HTTP/1.1\r\nhost: ${host}\r\nconnection: Upgrade\r\nupgrade: ${LINE_PROTOCOL}\r\nauthorization: Bearer ${TOKENS.admin}\r\n\r\n`;
    socket.write(head);
    await until('the switch', () => text.includes('101 Switching Protocols'), { everyMs: 5 });
    await watching(async () => {
      const lines = calls().map((message) => JSON.stringify(message));
      socket.write(`${lines.join('\n')}\n`);
      await until('all answers', () => text.split('\n').filter((line) => line.startsWith('{')).length === CALLS, {
        everyMs: 5,
      });
    });
    socket.destroy();
    assert.equal(crowded(), 0);
  });
});
