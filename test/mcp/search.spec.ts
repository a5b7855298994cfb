import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { REQUESTED_TOOLS, requestsFor } from '../../mcp/search/example-queries.ts';
import { takesAway } from '../../mcp/search/harm.ts';
import { answerSearch, type SearchRequest } from '../../mcp/search/search-answer.ts';
import { createToolSearch } from '../../mcp/search/search.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { type McpApi, startMcpApi, structured, textOf } from '../app/mcp-api.ts';
import { catalogue } from '../app/test-app.ts';
import { someOf } from '../helpers/counts.ts';
import { contentOf, likenessOf } from './phrase-words.ts';
import { INDEPENDENT } from './phrases-independent.ts';
import { TUNING } from './phrases-tuning.ts';
import { UNSEEN } from './phrases-unseen.ts';
import { PHRASES, SPOKEN_PHRASES } from './phrases.ts';
import { WISHES } from './wishes.ts';

const allTools = [...catalogue.operations, ...catalogue.workflows];
const search = createToolSearch(allTools);
/** The answer of search_tools to somebody who may call all: the test below holds that. */
const answerFor = (request: Partial<SearchRequest>): Record<string, any> =>
  answerSearch(search, { query: '', limit: 5, detail: 'schema', ...request }, () => true);
const isOperation = (tool: Tool): boolean => tool.rest !== undefined;
const names = (query: string, limit = 5): string[] =>
  search.find(query, limit, isOperation).map(({ tool }) => tool.name);

let api: McpApi;
const clients = new Map<string, ReturnType<McpApi['client']>>();
before(async () => {
  api = await startMcpApi();
});
after(() => api.close());

async function answer(args: object, profile = 'full'): Promise<Record<string, any>> {
  const known = clients.get(profile) ?? api.client('admin', { 'x-onair-profile': profile });
  clients.set(profile, known);
  const client = await known;
  const result = await client.callTool({ name: 'search_tools', arguments: args as Record<string, unknown> });
  assert.deepEqual(JSON.parse(textOf(result)), structured(result));
  return structured(result);
}

/** A workflow answers what its operation does, by name and in one go. */
const TWINS: Readonly<Record<string, string>> = {
  start_livestream: 'startLivestream',
  stop_livestream: 'stopLivestream',
  get_livestream_status: 'getLivestreamStatus',
  schedule_livestream: 'addSchedule',
  toggle_destination: 'runtimeTogglePublishings',
  update_destination_stream_key: 'updatePublishing',
};

/** The rank of the first wanted tool, from 0. A workflow counts where the phrase asks for one. */
function rankOf([query, ...wanted]: readonly [string, ...string[]]): number {
  const isAsked = wanted.some((name) => catalogue.workflows.some((workflow) => workflow.name === name));
  const found = search.find(query, 5, (tool) => isAsked || isOperation(tool)).map(({ tool }) => tool.name);
  return found.findIndex((name) => wanted.includes(name) || wanted.includes(TWINS[name] ?? ''));
}

function recall(ranks: readonly number[]): Record<'at1' | 'at3' | 'at5', number> {
  const within = (count: number): number => ranks.filter((rank) => rank >= 0 && rank < count).length / ranks.length;
  return { at1: within(1), at3: within(3), at5: within(5) };
}

for (const [title, phrases] of [
  ['phrases of operators', PHRASES],
  ['phrases of voices', SPOKEN_PHRASES],
  ['phrases that the search is tuned on', TUNING],
] as const) {
  test(`recall on ${title} is high enough`, (t) => {
    const { at1, at3, at5 } = recall(phrases.map(rankOf));
    t.diagnostic(`${phrases.length} ${title}: recall@1 ${at1.toFixed(2)}, @3 ${at3.toFixed(2)}, @5 ${at5.toFixed(2)}`);
    assert.ok(at1 >= 0.7 && at3 >= 0.87 && at5 >= 0.92, `${at1} ${at3} ${at5}`);
  });
}

/** The figures of the first run of each set are in docs/decisions/search.md. */
for (const [title, phrases] of [
  ['independent phrases', INDEPENDENT],
  ['unseen phrases', UNSEEN],
  ['wishes for each operation and field', WISHES],
] as const) {
  test(`recall on ${title} is high enough as search_tools answers them`, (t) => {
    const ranks: number[] = [];
    const harmful: string[] = [];
    for (const [query, ...wanted] of phrases) {
      const { tools, workflow } = answerFor({ query, detail: 'names' });
      assert.ok(tools.length > 0, `${query}: an empty answer`);
      const named = tools.map((tool: { name: string }) => tool.name);
      const found = workflow === undefined ? named : [workflow, ...named.filter((name: string) => name !== workflow)];
      ranks.push(
        found.slice(0, 5).findIndex((name: string) => wanted.includes(name) || wanted.includes(TWINS[name] ?? '')),
      );
      const isHarmful = (name: string): boolean => takesAway(catalogue.get(name));
      if (!wanted.some(isHarmful) && found.slice(0, 3).some(isHarmful)) harmful.push(query);
    }
    const { at1, at3, at5 } = recall(ranks);
    t.diagnostic(`${ranks.length} ${title}: recall@1 ${at1.toFixed(3)}, @3 ${at3.toFixed(3)}, @5 ${at5.toFixed(3)}`);
    assert.ok(ranks.length >= 150);
    assert.ok(at1 >= 0.82 && at3 >= 0.94 && at5 >= 0.96, `${at1} ${at3} ${at5}`);
    assert.ok(harmful.length <= 1, harmful.join('; '));
  });
}

test('search_tools answers over MCP as its function does, by which all phrases are measured', async () => {
  for (const [at, [query]] of someOf([...PHRASES, ...INDEPENDENT, ...UNSEEN], 20).entries())
    for (const request of [
      { query, limit: 1 + (at % 5) },
      { query, detail: 'names' as const },
    ])
      assert.deepEqual(await answer(request), JSON.parse(JSON.stringify(answerFor(request))), query);
});

test('the phrases that the search has learnt name real tools, and none of its measuring phrases', () => {
  const all = new Set([...catalogue.operations, ...catalogue.workflows].map(({ name }) => name));
  for (const name of [...REQUESTED_TOOLS, ...[...INDEPENDENT, ...UNSEEN].flatMap(([, ...wanted]) => wanted)]) {
    assert.ok(all.has(name), `${name} is no tool`);
  }
  const measured = INDEPENDENT.map(([phrase]) => contentOf(phrase));
  for (const request of REQUESTED_TOOLS.flatMap(requestsFor)) {
    const own = contentOf(request);
    const alike = measured.find((phrase) => likenessOf(own, phrase) >= 0.34);
    assert.equal(alike, undefined, `"${request}" resembles a phrase that measures it: ${[...(alike ?? [])].join(' ')}`);
  }
});

test('an exact name wins, whatever its case and spaces; a misspelt word is understood', () => {
  for (const tool of catalogue.operations) assert.equal(names(tool.name)[0], tool.name);
  assert.equal(names('GET ALL LIVESTREAMS')[0], 'getAllLivestreams');
  assert.equal(names('delete restraem')[0], 'deletePublishing');
});

test('a search that finds nothing names the nearest tools, and never gives an empty answer', async () => {
  for (const query of ['zzzzqqqq', '🦆🦆', '; DROP TABLE', '٣٤٥', 'the of to']) {
    const { tools } = await answer({ query });
    assert.ok(tools.length > 0, query);
  }
  assert.match((await answer({ query: 'zzzzqqqq' }))['note'], /Nothing fits/u);
});

test('a search at the default limit costs at most 1,500 tokens, and the first hit can be called from it', () => {
  for (const [query] of someOf([...PHRASES, ...SPOKEN_PHRASES, ...WISHES], 100)) {
    const found = answerFor({ query });
    assert.ok(JSON.stringify(found).length / 4 <= 1400, `${query}: ${JSON.stringify(found).length / 4}`);
    assert.ok(found['tools'].length <= 5);
    for (const tool of found['tools']) {
      assert.ok(tool.inputSchema !== undefined || tool.arguments !== undefined);
      for (const field of ['name', 'summary', 'score', 'role', 'annotations']) assert.ok(field in tool, field);
    }
  }
});

test('a search with limit 1 always shows the whole schema, and one with detail names shows none', () => {
  for (const { name } of catalogue.operations) {
    const [tool] = answerFor({ query: name, limit: 1 })['tools'];
    assert.equal(tool.name, name);
    assert.ok(tool.inputSchema && tool.outputSchema);
  }
  const { tools } = answerFor({ query: 'list outputs', detail: 'names', limit: 20 });
  assert.deepEqual(Object.keys(tools[0]), ['name', 'summary', 'score']);
});

test('a search finds only what the caller can call', async () => {
  const { tools } = await answer({ query: 'delete the live stream', limit: 20 }, 'readonly');
  for (const { annotations } of tools) assert.equal(annotations.readOnlyHint, true);
  assert.equal((await answer({ query: 'put it on air' }, 'readonly'))['workflow'], undefined);
});

test('a forbidden tool that fits clearly better is named, with what would allow it', async () => {
  for (const [profile, query, name, by] of [
    ['operator', 'createApiToken', 'createApiToken', /outside the profile operator\. It is allowed by: full\./u],
    ['readonly', 'delete a channel', 'deleteChannel', /allowed by: operator, full\./u],
    ['readonly', 'put it on air', 'start_livestream', /allowed by: voice, operator, full\./u],
    ['voice', 'getLivestreamPreview', 'getLivestreamPreview', /allowed by: readonly, operator, full\./u],
  ] as const) {
    const client = await api.client('admin', { 'x-onair-profile': profile });
    const answer = structured(await client.callTool({ name: 'search_tools', arguments: { query } }));
    assert.equal(answer['forbidden']?.name, name, query);
    assert.match(answer['forbidden'].why, by);
    assert.ok(!JSON.stringify(answer['tools']).includes(`"${name}"`), 'it is not among what can be called');
    assert.ok(JSON.stringify(answer).length / 4 <= 1500, query);
  }
  const voice = await api.client('admin', { 'x-onair-profile': 'voice' });
  const spoken = await voice.callTool({ name: 'search_tools', arguments: { query: 'delete the user' } });
  assert.match(textOf(spoken), /^What fits that is not allowed here: Delete a user\b[^.]*\(deleteUser\)\.$/iu);
  const operator = await api.client('operator', {});
  const { forbidden } = structured(
    await operator.callTool({ name: 'search_tools', arguments: { query: 'add a user' } }),
  );
  assert.match(forbidden.why, /^addUser needs the role System Administrator/u);
});

test('no tool is named as forbidden where all is allowed, or where what is allowed fits as well', async () => {
  for (const [query] of someOf(PHRASES, 20))
    assert.equal((await answer({ query, detail: 'names' }))['forbidden'], undefined, query);
  assert.equal((await answer({ query: 'which streams are live' }, 'readonly'))['forbidden'], undefined);
});

test('a query in everyday words, such as a farewell, leads to the harmless operation that is meant', async () => {
  for (const [query, first] of [
    ['put the show on air', 'startLivestream'],
    ['put the service on', 'start_livestream'],
    ['kick off the council meeting broadcast', 'start_livestream'],
    ["we're done, kill the feed", 'stopLivestream'],
    ['mute the microphone', 'updateLivestreamOptions'],
    ['mute the sound', 'updateLivestreamOptions'],
    ['copy goal.mp4 to the sftp server', 'exportClip'],
    ['send a clip to an ftp server', 'exportClip'],
    ['stop recording but stay on air', 'runtimeRecord'],
    ['what time is it', 'get_livestream_status'],
    ['cancel only the 24 december date of the weekly series', 'skipOccurrence'],
    ['add kick as a destination', 'addPublishing'],
    ['mute youtube', 'runtimeTogglePublishings'],
    ['cancel the whole series', 'deleteSchedule'],
  ] as const) {
    const { workflow, tools } = await answer({ query, detail: 'names' });
    assert.equal(workflow ?? tools[0].name, first, query);
  }
});

test('a search where nothing fits well says so, and puts what deletes last', async () => {
  for (const query of [
    'arrête la diffusion',
    'lösche bitte nichts',
    'borra el canal',
    'blorp the fnord',
    'qwfp lorem ipsum',
  ]) {
    const { fits, workflow, tools, note } = await answer({ query });
    assert.deepEqual([fits, workflow], [false, undefined], query);
    assert.match(note, /Nothing fits these words well/u);
    const deletes = tools.map(({ name }: { name: string }) => catalogue.find(name)?.effect === 'delete');
    assert.deepEqual(
      deletes,
      deletes.toSorted(),
      `${query}: ${tools.map(({ name }: { name: string }) => name).join()}`,
    );
    assert.equal(deletes[0], false, query);
  }
  for (const query of ['getAllLivestreams', 'delete restraem', 'start Zürcher Abendmusik Reihe'])
    assert.equal((await answer({ query }))['fits'], undefined, query);
});

test('an answer scores each tool once, however often it asks for hits, and reads none of the long texts again', () => {
  const reads = new Map<PropertyKey, number>();
  const get = (tool: Tool, key: keyof Tool): unknown => {
    reads.set(key, (reads.get(key) ?? 0) + 1);
    return tool[key];
  };
  const own = createToolSearch(allTools.map((tool) => new Proxy(tool, { get: get as ProxyHandler<Tool>['get'] & {} })));
  own.find('the index is made by the first search', 1, () => true);
  for (const [query] of someOf(INDEPENDENT, 20)) {
    reads.clear();
    answerSearch(own, { query, limit: 5, detail: 'names' }, () => true);
    // Its score asks for the tag of a tool; the other texts are in the index.
    const counts = (['tag', 'description', 'aliases'] as const).map((text) => reads.get(text) ?? 0);
    assert.ok(counts[0]! >= allTools.length && counts[0]! < 2 * allTools.length, `${query}: ${counts[0]}`);
    assert.deepEqual(counts.slice(1), [0, 0], query);
  }
});

test('the schema of a list states the defaults of this api, not those of REST', async () => {
  const { tools } = await answer({ query: 'getAllUsers', limit: 1 });
  const { pageSize, fields } = tools[0].inputSchema.properties;
  assert.deepEqual([pageSize.default, pageSize.maximum], [20, 500]);
  assert.equal(fields.default, 'id,username,first_name,last_name,user_role,active');
});
