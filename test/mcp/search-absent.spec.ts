/** The answers of search_tools to wishes that the product cannot fulfil, and whether it takes others for such. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ABSENT_TOPICS } from '../../mcp/search/queries/absent.ts';
import { answerSearch, type SearchAnswer } from '../../mcp/search/search-answer.ts';
import { createToolSearch } from '../../mcp/search/search.ts';
import { catalogue } from '../app/test-app.ts';
import { contentOf, likenessOf } from './phrase-words.ts';
import { ABSENT } from './phrases-absent.ts';
import { ABSENT_TUNING } from './phrases-absent-tuning.ts';
import { ABSENT_UNSEEN } from './phrases-absent-unseen.ts';
import { HELD_OUT } from './phrases-held-out.ts';
import { INDEPENDENT } from './phrases-independent.ts';
import { OPERATORS } from './phrases-operators.ts';
import { TUNING } from './phrases-tuning.ts';
import { UNSEEN } from './phrases-unseen.ts';
import { VOICES } from './phrases-voices.ts';
import { PHRASES, SPOKEN_PHRASES } from './phrases.ts';

const search = createToolSearch([...catalogue.operations, ...catalogue.workflows]);
const ask = (query: string, by = search): SearchAnswer =>
  answerSearch(by, { query, limit: 5, detail: 'names' }, () => true);

/**
 * Each asked as search_tools asks. The first 60 phrases were written before the search knew of absent features, by the author of what it then
 * learnt. First run: fits was false for 46 of 60, with every request left out that shared a third of its words with a phrase; then what a
 * feature is called was let in again, in one word or two: 55 of 60. The second set was written later: 48 of 60. With weights fitted on
 * half of the first and on the phrases of tuning (docs/decisions/search.md) 56 and 52 are told so.
 */
for (const [title, phrases, most] of [
  ['absent features', ABSENT, 6],
  ['absent features of the second set', ABSENT_UNSEEN, 10],
  ['absent features that the search is tuned on', ABSENT_TUNING, 4],
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
      const risky = named.slice(0, 3).filter((name) => ['delete', 'control'].includes(catalogue.get(name).effect));
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
  assert.deepEqual([best?.tool.name, best!.score > 5], ['runtimeApplySourceSwitch', true]);
  const { fits, tools } = ask(query, unaware);
  assert.equal(fits, false);
  assert.ok(!JSON.stringify(tools).includes('runtimeApplySourceSwitch'));
  // A name that nothing here knows speaks against no tool.
  assert.equal(ask('start Zürcher Abendmusik Reihe', unaware).fits, undefined);
});

test('the phrases of absent features that the search has learnt name reads alone, and none of its measuring phrases', () => {
  for (const { nearest, requests } of ABSENT_TOPICS) {
    for (const name of nearest) assert.equal(catalogue.get(name).effect, 'read', name);
    for (const request of requests) {
      const content = contentOf(request);
      // What a feature is called has one name or two; a whole phrase could have been learnt by heart.
      if (content.size <= 2) continue;
      const alike = ABSENT.find((phrase) => likenessOf(content, contentOf(phrase)) >= 0.34);
      assert.equal(alike, undefined, `"${request}" resembles "${alike}"`);
    }
  }
});

test('few wishes for features that exist are taken for absent features', (t) => {
  const all = [
    ...PHRASES,
    ...SPOKEN_PHRASES,
    ...HELD_OUT,
    ...OPERATORS,
    ...VOICES,
    ...TUNING,
    ...INDEPENDENT,
    ...UNSEEN,
  ];
  const lost = all.filter(([query]) => search.absent(query) !== undefined).map(([query]) => query);
  t.diagnostic(`${lost.length} of ${all.length}: ${lost.join('; ')}`);
  assert.ok(lost.length <= all.length * 0.03, lost.join('; '));
});
