/** Calls that come together leave the event loop to others between them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seedBroadcast } from '../helpers/seed.ts';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

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
});
