/** One language: names and comments are plain English in the words of the field (docs/glossary.md). */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { CODE, placeOf, walk } from './code.ts';

/** Retired wherever they are a word of a name: in camelCase, kebab-case, snake_case, singular or plural. */
const RETIRED_WORDS = words(
  'nursery door lane road hungry hurry comeback beat shelf tally keeper forsake lack parked manned patient sayings',
);
const RETIRED_NAMES = words(
  'told said asked fed onFlow lastWords makeUp NoWayIn NotYet setAside StandIn ShownText Programme Picture Graphics TimeLine ' +
    'PLAIN SHOWN NOWHERE NOTHING UNREAD become',
);
const RETIRED_FILES = words(
  'pace programme picture graphics stand-in keep spare cue-sheet likeness hearing said speakable ts-injector time-line',
);
/** Limits have one spelling: MAX_ and MIN_. */
const OTHER_LIMITS = /^(MOST|LONGEST|LARGEST|LEAST|SHORTEST|SMALLEST|FEWEST)(_|$)/u;
/** Names in which a retired word is the field's own, by the reason. */
const FIELD_WORDS: Record<string, string> = {};
/** Doc comments that begin so are seldom sentences. */
const FRAGMENT = /\/\*\*\s*\*?\s*(?:What|Of|By|Where|Whoever)\b/gu;
const MAX_FRAGMENTS = 25;

function words(list: string): Set<string> {
  return new Set(list.split(' '));
}

function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z0-9])([A-Z])/gu, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/gu, '$1 $2');
  return spaced.split(/[\s_.-]+/u).map((word) => word.toLowerCase());
}

/** A plural counts as its singular: beats, tallies, shelves. */
function isRetired(word: string): boolean {
  const forms = [word, word.replace(/s$/u, ''), word.replace(/ies$/u, 'y'), word.replace(/ves$/u, 'f')];
  return forms.some((form) => RETIRED_WORDS.has(form));
}

function isRetiredName(name: string): boolean {
  if (FIELD_WORDS[name] !== undefined) return false;
  return RETIRED_NAMES.has(name) || OTHER_LIMITS.test(name) || wordsOf(name).some(isRetired);
}

describe('the language of the house', () => {
  it('no name has a retired word', () => {
    const found: string[] = [];
    // Most names are in the code many times.
    const verdicts = new Map<string, boolean>();
    for (const file of CODE)
      walk(file, (node) => {
        if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return;
        const name = node.text.replace(/^#/u, '');
        const isFound = verdicts.get(name) ?? isRetiredName(name);
        verdicts.set(name, isFound);
        if (isFound) found.push(`${placeOf(file, node.getStart(file.tree))} ${name}`);
      });
    assert.deepEqual(found, [], 'docs/glossary.md has the word that is used instead');
  });

  it('no name of a file has a retired word', () => {
    const names = CODE.map(({ path }) => [path, basename(path).replace(/(\.(spec|long|suite))?\.\w+$/u, '')] as const);
    const found = names.filter(([, name]) => RETIRED_FILES.has(name) || wordsOf(name).some(isRetired));
    assert.deepEqual(
      found.map(([path]) => path),
      [],
    );
  });

  it('every exception to the language of the house is used', () => {
    const used = new Set<string>();
    for (const file of CODE) walk(file, (node) => ts.isIdentifier(node) && used.add(node.text));
    assert.deepEqual(
      Object.keys(FIELD_WORDS).filter((name) => !used.has(name)),
      [],
    );
  });

  it(`at most ${MAX_FRAGMENTS} doc comments begin with What, Of, By, Where or Whoever`, () => {
    const found = CODE.flatMap((file) => [...file.text.matchAll(FRAGMENT)].map(({ index }) => placeOf(file, index)));
    assert.ok(found.length <= MAX_FRAGMENTS, `${found.length} do:\n${found.join('\n')}`);
  });
});
