/** Messages that are wrongly made: refused in words of ours and, where a request can be told, by its id; over HTTP and stdio. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { idOfLongLine } from '../../mcp/protocol/long-line.ts';
import { openWire } from '../../mcp/protocol/wire.ts';
import { programArguments } from '../helpers/program.ts';

import { type McpApi, startMcpApi } from '../app/mcp-api.ts';
import { TOKENS } from '../app/users.ts';
import { until } from '../helpers/until.ts';

const REVISION = '2026-07-28';
const ABOUT = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const WORDS_OF_AN_SDK = /Invalid tools\/call|Invalid JSON-RPC|Parse error|"expected":|zod|received/iu;

/** Params of tools/call, and the field that is wrong in them. */
const CALLS: [params: unknown, field: string][] = [
  [undefined, 'name'],
  [{}, 'name'],
  [{ name: 5 }, 'name'],
  [{ name: null, arguments: {} }, 'name'],
  [{ name: 'getAllChannels', arguments: 5 }, 'arguments'],
  [{ name: 'getAllChannels', arguments: [] }, 'arguments'],
  [{ name: 'getAllChannels', arguments: '{}' }, 'arguments'],
  [{ name: 'getAllChannels', _meta: { progressToken: {} } }, '_meta.progressToken'],
];
const OLDER: [params: unknown, field: string][] = [
  ...CALLS,
  [null, 'name'],
  [5, 'params'],
  [[], 'params'],
  [{ name: 'getAllChannels', _meta: 5 }, '_meta'],
];

let api: McpApi;
before(async () => {
  api = await startMcpApi();
});
after(() => api.close());

function assertRefused(answer: any, id: unknown, rpcCode: number, field: string | undefined): void {
  const shown = JSON.stringify(answer);
  const { error } = answer;
  assert.deepEqual([answer.id, error?.code, error?.data?.code], [id, rpcCode, 'invalid_input'], shown);
  if (field !== undefined) assert.equal(error.data.errors[0].field, field, shown);
  assert.match(error.message, /Correct the fields/u);
  assert.doesNotMatch(shown, WORDS_OF_AN_SDK);
}

describe('a call with a wrong frame', () => {
  for (const [params, field] of OLDER) {
    it(`a call with the wrong frame ${JSON.stringify(params)} is answered with what is wrong`, async () => {
      const response = await api.post({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params });
      assert.equal(response.status, 200);
      assert.notEqual(response.headers.get('x-request-id'), null);
      assertRefused(await response.json(), 'a', -32602, field);
    });
  }

  for (const [params, field] of CALLS) {
    it(`a call with the wrong frame ${JSON.stringify(params)} is answered so in the newer generation too`, async () => {
      const { name, _meta } = (params ?? {}) as { name?: unknown; _meta?: object };
      const given = { ...(params as object | undefined), _meta: { ...ABOUT, ..._meta } };
      const headers = { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': String(name) };
      const response = await api.post({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: given }, headers);
      assertRefused(await response.json(), 7, -32602, field);
    });
  }
});

describe('what may be left out', () => {
  it('a null is the same as its absence, but where a field takes null it clears', async () => {
    const run = async (params: object): Promise<any> => {
      const accept = { accept: 'Application/JSON, text/*;q=0.5, */*' };
      const response = await api.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, accept);
      return ((await response.json()) as any).result;
    };
    const callOf = (operationId: string, args: unknown): object => {
      return { name: 'call_tool', arguments: { operationId, arguments: args, dry_run: null }, _meta: null };
    };
    const listed = await api.post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: null }, { accept: '*/*' });
    assert.equal(((await listed.json()) as any).result.tools.length, 10);
    for (const params of [
      { name: 'channel_slot_usage', arguments: null },
      { name: 'channel_slot_usage', arguments: { deviceId: null } },
      { name: 'search_tools', arguments: { query: 'list channels', limit: null, detail: null } },
      callOf('getAllChannels', { search: null, pageSize: null }),
      callOf('getAllChannels', null),
    ])
      assert.notEqual((await run(params)).isError, true, JSON.stringify(params));
    const stream = {
      name: 'null',
      alias: 'short',
      type: 'Stream',
      settings: { url: 'http://h/a', program: null, mode: null },
    };
    const { data } = (await run(callOf('addChannel', stream))).structuredContent;
    const cleared = (await run(callOf('updateChannel', { channelId: data.id, alias: null, enabled: null })))
      .structuredContent;
    assert.deepEqual([data.alias, cleared.data.alias, cleared.data.enabled], ['short', null, true]);
    assert.equal((await run(callOf('updateChannel', { channelId: null, alias: 'x' }))).isError, true);
    const inherited = await run(callOf('getAllChannels', { constructor: null, toString: 'x' }));
    assert.match(JSON.stringify(inherited), /unknown_field/u);
  });
});

describe('a body that is no message', () => {
  const REFUSED: [body: unknown, id: unknown, field: string | undefined][] = [
    [null, null, 'jsonrpc'],
    [5, null, 'jsonrpc'],
    [{}, null, 'jsonrpc'],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 1, 'jsonrpc'],
    [{ jsonrpc: '2.0', id: 1 }, 1, 'method'],
    [{ jsonrpc: '2.0', id: 1, method: 5 }, 1, 'method'],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }, null, 'id'],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, null, 'id'],
    [[], null, undefined],
    [[{ jsonrpc: '2.0', id: 1, method: 'ping' }, 5], null, '1.jsonrpc'],
  ];
  for (const [body, id, field] of REFUSED) {
    it(`the body ${JSON.stringify(body)}, which is no message, is refused with what is wrong`, async () => {
      const response = await api.post(body);
      assert.equal(response.status, 400);
      assertRefused(await response.json(), id, -32600, field);
    });
  }

  it('a batch of good messages is not refused by the check for bodies that are no message', async () => {
    const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });
    const answers = (await (await api.post([ping(1), ping(2)])).json()) as { id: number; result: object }[];
    assert.deepEqual(
      answers.map(({ id, result }) => [id, result]),
      [
        [1, {}],
        [2, {}],
      ],
    );
  });

  it('an answer and a notification are messages', async () => {
    for (const body of [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ])
      assert.equal((await api.post(body)).status, 202, JSON.stringify(body));
  });
});

describe('a line on stdin', () => {
  interface Heard {
    answers: any[];
    received: object[];
    noise: string[];
  }

  async function hear(...pieces: (string | Buffer)[]): Promise<Heard> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const received: object[] = [];
    const noise: string[] = [];
    const wire = openWire({
      input,
      output,
      requestId: 'r',
      receive: (message) => void received.push(message),
      onNoise: (reason) => void noise.push(reason),
      onRefused: (_message, error) => error,
    });
    for (const piece of pieces) input.write(piece);
    input.end();
    await wire.ended;
    // A refusal is written once it has been told to whom it concerns.
    await setImmediate();
    const text = String(output.read() ?? '');
    return {
      answers: text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
      received,
      noise,
    };
  }

  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const PING = `${JSON.stringify(ping)}\n`;
  const PAD = 'x'.repeat(13 * 1024 ** 2);

  it('lines on stdin that use one id again wait for each other’s answers, and no more than some hundred are read', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let received = 0;
    const wire = openWire({
      input,
      output,
      requestId: 'r',
      receive: () => void (received += 1),
      onNoise: () => undefined,
      onRefused: (_message, error) => error,
    });
    let isSettled = false;
    for (let sent = 0; sent < 100; sent += 1) input.write(PING.repeat(100));
    await until('a stop of reading', () => input.isPaused());
    void wire.settled().then(() => (isSettled = true));
    const first = received;
    assert.ok(first < 2000, `${first} were read before any answer`);
    for (let answers = 0; answers < 10; answers += 1) await wire.reply(1, '{}');
    await setImmediate();
    assert.ok(received < first + 200, `${received - first} were read for ten answers`);
    assert.equal(isSettled, false);
    output.resume();
    for (let answers = 10; answers < 10_000; answers += 1) await wire.reply(1, '{}');
    await until('the last answer', () => isSettled);
    assert.deepEqual([received, input.isPaused()], [10_000, false]);
  });

  it('a line on stdin with a wrong frame is answered, and the next one is read', async () => {
    const wrong = { jsonrpc: '2.0', id: 'w', method: 'tools/call', params: { name: 5 } };
    const { answers, received } = await hear(`${JSON.stringify(wrong)}\n`, PING);
    assert.equal(answers.length, 1);
    assertRefused(answers[0], 'w', -32602, 'name');
    assert.deepEqual(received, [ping]);
  });

  it('a line on stdin that nobody waits for is not answered', async () => {
    const { answers, received, noise } = await hear('{"jsonrpc":"2.0","method":"x","params":5}\n', 'noise\n', PING);
    assert.deepEqual([answers, received, noise.length], [[], [ping], 2]);
  });

  it('a line on stdin longer than the bound is answered by its id, and the next one is read', async () => {
    const params = { name: 'search_tools', arguments: { query: PAD } };
    const messages: [unknown, object][] = [
      [3, { jsonrpc: '2.0', id: 3, method: 'tools/call', params }],
      ['a "b"', { method: 'tools/call', id: 'a "b"', params, jsonrpc: '2.0' }],
      [5, { method: 'tools/call', params, jsonrpc: '2.0', id: 5 }],
      [null, { method: 'tools/call', params: { ...params, id: 6 } }],
    ];
    for (const [id, message] of messages) {
      const line = Buffer.from(`${JSON.stringify(message)}\n`);
      const chunks = Array.from({ length: Math.ceil(line.length / 65_536) }, (_, index) =>
        line.subarray(index * 65_536, (index + 1) * 65_536),
      );
      const { answers, received } = await hear(...chunks, PING);
      assert.deepEqual(
        answers.map((answer) => [answer.id, answer.error.code, answer.error.data.code, answer.error.data.max_bytes]),
        [[id, -32000, 'too_large', 12 * 1024 ** 2]],
      );
      assert.deepEqual(received, [ping]);
    }
  });

  it('a line on stdin longer than the bound whose id is no JSON is answered without an id, and the next one is read', async () => {
    const { answers, received } = await hear('{"id":007,"method":"x","params":{"a":"', PAD, '"}}\n', PING);
    assert.deepEqual(
      answers.map((answer) => [answer.id, answer.error.data.code]),
      [[null, 'too_large']],
    );
    assert.deepEqual(received, [ping]);
  });

  it('a line on stdin longer than the bound has its id read from where ids stand, and from nowhere else', () => {
    assert.equal(idOfLongLine('{ "jsonrpc" : "2.0", "id" : -4 , "method', ''), -4);
    assert.equal(idOfLongLine('{"params":{"id":9,', '"x":1}}'), undefined);
    assert.equal(idOfLongLine('{"params":{', '"id":9}}'), undefined);
    assert.equal(idOfLongLine('{"params":{', 'x"},"id":9}\r'), 9);
    assert.equal(idOfLongLine('{"method":"\\"id\\":8,","params', '}'), undefined);
    // What looks like an id and is none in JSON.
    assert.equal(idOfLongLine('{"id":007,', '}'), undefined);
    assert.equal(idOfLongLine('{"id":"\\u12",', '}'), undefined);
  });

  it('a line on stdin of a real process gets the same answers', async () => {
    const env = { ...process.env, SERVER_URL: api.url, SERVER_TOKEN: TOKENS.admin, TOOL_PROFILE: 'full' };
    const child = spawn(process.execPath, programArguments(new URL('fixtures/stdio-entry.ts', import.meta.url)), {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}\n`);
    child.stdin.write(`{"method":"tools/call","params":{"pad":"${PAD}"},"jsonrpc":"2.0","id":2}\n`);
    // MCP 2025-03-26 has batches.
    child.stdin.write(`[${PING.trim().replace('"id":1', '"id":4')},${PING.trim().replace('"id":1', '"id":5')}]\n`);
    child.stdin.end(PING.replace('"id":1', '"id":3'));
    const [code] = (await once(child, 'close')) as [number];
    const answers = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as any);
    const batch = answers.filter(Array.isArray).flat() as { id: number; result: object }[];
    assert.deepEqual(
      batch.map(({ id, result }) => [id, result]),
      [
        [4, {}],
        [5, {}],
      ],
    );
    const report = answers
      .filter((answer) => !Array.isArray(answer))
      .map(({ id, error }) => [id, error?.data?.code])
      .sort();
    assert.deepEqual(
      [code, report],
      [
        0,
        [
          [1, 'invalid_input'],
          [2, 'too_large'],
          [3, undefined],
        ],
      ],
    );
  });
});
