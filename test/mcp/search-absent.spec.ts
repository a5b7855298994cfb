/** The answers of search_tools to wishes that the product cannot fulfil, and whether it takes others for such. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleClassesOf } from '../../mcp/search/example-classes.ts';
import { takesAway } from '../../mcp/search/harm.ts';
import { ABSENT_TOPICS } from '../../mcp/search/queries/absent.ts';
import { answerSearch, type SearchAnswer } from '../../mcp/search/search-answer.ts';
import { createToolSearch } from '../../mcp/search/search.ts';
import { catalogue } from '../app/test-app.ts';
import { someOf } from '../helpers/counts.ts';
import { ABSENT } from './phrases-absent.ts';
import { ABSENT_UNSEEN } from './phrases-absent-unseen.ts';
import { INDEPENDENT } from './phrases-independent.ts';
import { TUNING } from './phrases-tuning.ts';
import { UNSEEN } from './phrases-unseen.ts';
import { PHRASES, SPOKEN_PHRASES } from './phrases.ts';
import { ABSENT_WISHES, WISHES } from './wishes.ts';

const tools = [...catalogue.operations, ...catalogue.workflows];
const search = createToolSearch(tools);
const ask = (query: string, by = search): SearchAnswer =>
  answerSearch(by, { query, limit: 5, detail: 'names' }, () => true);

/** Each asked as search_tools asks. How many were told so before anything was learnt from them is in docs/decisions/search.md. */
for (const [title, phrases, most] of [
  ['absent features', ABSENT, 2],
  ['absent features of the second set', ABSENT_UNSEEN, 3],
  ['absent wishes of all kinds', ABSENT_WISHES, 8],
] as const) {
  test(`a search by phrases of ${title} says that there is no such thing, and offers nothing that could harm`, (t) => {
    const taken: string[] = [];
    const harmful: string[] = [];
    for (const query of phrases) {
      const { fits, tools, workflow, note } = ask(query) as Record<string, any>;
      const named: string[] = [
        ...(workflow === undefined ? [] : [workflow]),
        ...tools.map(({ name }: { name: string }) => name),
      ];
      assert.ok(named.length > 0, query);
      const risky = named.slice(0, 3).filter((name) => takesAway(catalogue.get(name)));
      harmful.push(...risky.map((name) => `${query}: ${name}`));
      if (fits === false) assert.ok(note, query);
      else taken.push(query);
    }
    t.diagnostic(
      `${phrases.length - taken.length} of ${phrases.length} ${title}; taken for something: ${taken.join('; ')}`,
    );
    assert.deepEqual(harmful, []);
    assert.ok(taken.length <= most, taken.join('; '));
  });
}

test('a tool that controls the air is not named where it explains little of the query, whatever its score', () => {
  const unaware = { ...search, absent: () => undefined };
  const query = 'switch the page to dark mode';
  const [best] = search.find(query, 1, () => true);
  assert.deepEqual([best?.tool.name, best!.score > 3], ['runtimeApplySourceSwitch', true]);
  const { tools } = ask(query, unaware);
  assert.ok(!JSON.stringify(tools).includes('runtimeApplySourceSwitch'));
  // A name that nothing here knows speaks against no tool.
  assert.equal(ask('start Zürcher Abendmusik Reihe', unaware).fits, undefined);
});

test('no phrase of an absent topic is served by an operation, and none of an operation or of its fields is said to be absent', () => {
  const [served, absent] = [false, true].map((isAbsent) =>
    exampleClassesOf(tools).flatMap(({ topic, requests }) => ((topic !== undefined) === isAbsent ? requests : [])),
  );
  assert.ok(served!.length > 5000 && absent!.length > 1500, `${served!.length} ${absent!.length}`);
  const isDenied = (phrase: string): boolean => search.absent(phrase) !== undefined;
  assert.deepEqual(
    someOf(absent!, 250).filter((phrase) => !isDenied(phrase)),
    [],
  );
  assert.deepEqual(someOf(served!, 250).filter(isDenied), []);
});

test('an absent topic names reads alone, and the way that exists beside MCP', () => {
  for (const { nearest } of ABSENT_TOPICS)
    for (const name of nearest) assert.equal(catalogue.get(name).effect, 'read', name);
  for (const [query, way] of [
    ['send a message to teams when the stream fails', /metrics.*alerts\.yml/u],
    ['restore the backup of yesterday', /onair restore/u],
    ['webhook', /metrics/u],
    ['sign in with google', /ONAIR_OIDC_ISSUER/u],
    ['renew the tls certificate', /ONAIR_TLS_CERT/u],
    ['keep the audit log for ten years', /ONAIR_AUDIT_DAYS/u],
    ['unique viewers by country', /getLivestreamAudience.*CDN/u],
  ] as const)
    assert.match(ask(query)['note'] as string, way, query);
});

test('hardly a wish for what exists is taken for an absent one', (t) => {
  const all = [...PHRASES, ...SPOKEN_PHRASES, ...TUNING, ...INDEPENDENT, ...UNSEEN, ...WISHES];
  const lost = someOf(all, 300)
    .filter(([query]) => ask(query).fits === false)
    .map(([query]) => query);
  t.diagnostic(`${lost.length}: ${lost.join('; ')}`);
  assert.ok(lost.length <= 5, lost.join('; '));
});
