/** Every client that there is, over both transports, gets the same: lists, answers, errors, progress, cancellation. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { programArguments } from '../helpers/program.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { connectAs, KINDS, REVISIONS, type AnyClient, type Way } from './clients.ts';
import { type McpApi, startMcpApi, structured, sentenceOf } from '../app/mcp-api.ts';
import { TOKENS } from '../app/users.ts';

let api: McpApi;
let livestreamId: number;
before(async () => {
  api = await startMcpApi();
  livestreamId = await seedBroadcast(api.store);
});
after(() => api.close());

const entry = programArguments(new URL('fixtures/stdio-entry.ts', import.meta.url));
const WAYS: Record<string, () => Way> = {
  HTTP: () => ({ url: `${api.url}/mcp`, headers: { authorization: `Bearer ${TOKENS.admin}` } }),
  stdio: () => ({
    command: process.execPath,
    args: entry,
    env: {
      ...(process.env as Record<string, string>),
      SERVER_URL: api.url,
      SERVER_TOKEN: TOKENS.admin,
      SERVER_TIMEZONE: api.dispatcher.timezone,
    },
  }),
};

/** Also in the text of a resource, where its quotes are escaped. */
const SERVER_TIME = /(\\?"server_time\\?":\\?")\d{4}-\d\d-\d\dT[\d:.]+Z/gu;

/** Without what the newer generation adds to every answer, and what differs from call to call. */
function bare(answer: Record<string, any>): object {
  const { _meta: { 'io.modelcontextprotocol/serverInfo': _who, ...meta } = {}, ...rest } = answer;
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...own } = rest;
  if (own['structuredContent']?.request_id !== undefined) own['structuredContent'].request_id = '';
  const whole = { ...own, ...(Object.keys(meta as object).length > 0 && { _meta: meta as object }) };
  return JSON.parse(JSON.stringify(whole).replace(SERVER_TIME, '$1(now)')) as object;
}

for (const [way, wayOf] of Object.entries(WAYS)) {
  for (const kind of KINDS) {
    describe(`${kind} over ${way}`, () => {
      let client: AnyClient;
      /** The answers that a v1 client gets over HTTP are the measure. */
      let measure: AnyClient;
      before(async () => {
        measure = await connectAs('v1', WAYS['HTTP']?.() as Way);
        client = await connectAs(kind, wayOf());
      });
      after(async () => {
        await client.close();
        await measure.close();
      });
      const same = async (ask: (by: AnyClient) => Promise<any>): Promise<any> => {
        const answer = bare(await ask(client));
        assert.deepEqual(answer, bare(await ask(measure)));
        return answer;
      };

      it(`the client ${kind} over ${way} speaks ${REVISIONS[kind]} and reads the instructions`, () => {
        assert.equal(client.revision(), REVISIONS[kind]);
        assert.match(client.instructions() ?? '', /^onair controls live video broadcasts/u);
        assert.equal(client.instructions(), measure.instructions());
      });

      it(`the client ${kind} over ${way} lists the same tools, prompts and resources`, async () => {
        assert.ok((await same((by) => by.listTools())).tools.length >= 9, 'tools');
        assert.ok((await same((by) => by.listPrompts())).prompts.length >= 2, 'prompts');
        assert.equal((await same((by) => by.listResources())).resources.length, 2);
        assert.equal((await same((by) => by.listResourceTemplates())).resourceTemplates.length, 1);
      });

      it(`the client ${kind} over ${way} gets the same answers`, async () => {
        const inner = { operationId: 'getLivestreamById', arguments: { livestreamId } };
        const read = await same((by) => by.callTool('call_tool', inner));
        assert.equal(read.structuredContent.data.name, 'Show');
        assert.equal(read._meta.etag, '"1"');
        await same((by) => by.callTool('get_livestream_status', { livestream: 'show' }));
        await same((by) => by.callTool('search_tools', { query: 'list outputs' }));
        await same((by) => by.callTool('start_livestream', { livestream: 'Show', dry_run: true }));
        await same((by) => by.getPrompt('go_live', { livestream: 'Show' }));
        await same((by) => by.readResource('onair://livestreams/status'));
        await same((by) => by.readResource(`onair://livestreams/${livestreamId}/status`));
      });

      it(`the client ${kind} over ${way} gets the same errors`, async () => {
        const refused = await same((by) => by.callTool('getLivestreamById', { livestreamId: 999 }));
        assert.deepEqual([refused.isError, refused.structuredContent.code], [true, 'not_found']);
        await same((by) => by.callTool('getLivestream', {}));
        await same((by) => by.callTool('get_livestream_status', { livestream: 'nothing like it' }));
        await assert.rejects(client.getPrompt('go_live'), (error: any) => {
          assert.deepEqual(
            [error.code, error.data.code, error.data.errors[0].field],
            [-32602, 'invalid_input', 'livestream'],
          );
          return true;
        });
        await assert.rejects(client.getPrompt('no_such_prompt'), { code: -32602 });
        // The v2 client shows the newer code, whichever came.
        const code = kind === 'v1' ? -32002 : -32602;
        for (const uri of ['onair://livestreams/999/status', 'onair://nothing']) {
          await assert.rejects(client.readResource(uri), (error: any) => {
            assert.deepEqual([error.code, error.data.uri], [code, uri]);
            return true;
          });
        }
      });

      it(`the client ${kind} over ${way} gets the answer of a key repeated`, async () => {
        const args = { name: `${kind} ${way}`, type: 'Stream', settings: { url: 'http://a.example/' } };
        const meta = { idempotencyKey: `${kind} ${way}` };
        const first = await client.callTool('addChannel', args, meta);
        const second = await client.callTool('addChannel', args, meta);
        assert.deepEqual(second.structuredContent, first.structuredContent);
        assert.equal(second._meta.idempotencyReplayed, true);
      });

      it(`the client ${kind} over ${way} gets the progress of a start and of a stop`, async () => {
        const steps: string[] = [];
        // Progress and result in one breath would be a race inside the client.
        const releaseStops = api.device.holdStops();
        const onprogress = ({ message = '' }): void => {
          steps.push(message);
          const runId = api.device.runIds.at(-1) ?? '';
          if (message.includes('starting')) api.device.running(runId);
          else releaseStops();
        };
        const started = await client.callTool('start_livestream', { livestream: 'Show' }, undefined, { onprogress });
        assert.equal(sentenceOf(started), '"Show" is on air on 1 destination.');
        const stopped = await client.callTool('stop_livestream', { livestream: 'Show' }, undefined, { onprogress });
        assert.equal(structured(stopped)['status'], 0);
        assert.deepEqual([...new Set(steps)], ['"Show" is starting.', '"Show" is stopping.']);
      });

      it(`the client ${kind} over ${way} cancels the wait, not the start`, async () => {
        const controller = new AbortController();
        const args = { livestream: 'Show', wait_seconds: 60 };
        const meta = { idempotencyKey: `cancelled by ${kind} over ${way}` };
        const onprogress = (): void => controller.abort('enough');
        await assert.rejects(
          client.callTool('start_livestream', args, meta, { signal: controller.signal, onprogress }),
        );
        const stored = await until('the end of the call', async () => {
          const again = await client.callTool('start_livestream', args, meta);
          return again.structuredContent.code === 'conflict' ? undefined : again;
        });
        assert.deepEqual([structured(stored)['status'], structured(stored)['changed']], [1, true]);
        assert.equal((await api.store.get('runs', livestreamId))?.row.desired, 'on');
        await client.callTool('stop_livestream', { livestream: 'Show' });
      });
    });
  }
}
