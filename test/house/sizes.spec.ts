/** Sizes that a reader can hold in mind: of files, functions and folders. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { CODE, isGenerated, placeOf, walk } from './code.ts';

const MAX_FILE_LINES = 300;
const MAX_FUNCTION_LINES = 80;
const MAX_FOLDER_FILES = 20;
/** Nobody who reads a call knows which of more arguments is which. */
const MAX_PARAMETERS = 5;
/** Flat lists that are read as a page, by their top-level folder: a file a tool, and the tests of one folder. */
const FLAT_FOLDERS = ['tools', 'test'];
/** The list of them grows with them. */
const LIST = 'tools/index.ts';

describe('sizes', () => {
  const source = CODE.filter(({ isSource }) => isSource);

  it(`no file has more than ${MAX_FILE_LINES} lines`, () => {
    const sizes = source
      .filter((file) => !isGenerated(file) && file.path !== LIST)
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }));
    assert.deepEqual(
      sizes.filter(({ lines }) => lines > MAX_FILE_LINES),
      [],
    );
  });

  it(`no function has more than ${MAX_FUNCTION_LINES} lines from its head to its closing brace`, () => {
    const found: string[] = [];
    for (const file of source)
      walk(file, (node) => {
        if (!ts.isFunctionLike(node)) return;
        const start = node.getStart(file.tree);
        const lineOf = (position: number): number => file.tree.getLineAndCharacterOfPosition(position).line;
        const lines = lineOf(node.end) - lineOf(start) + 1;
        if (lines > MAX_FUNCTION_LINES && file.text[node.end - 1] === '}')
          found.push(`${placeOf(file, start)}: ${lines} lines`);
      });
    assert.deepEqual(found, []);
  });

  it(`no function has more than ${MAX_PARAMETERS} parameters: it takes one object instead`, () => {
    const found: string[] = [];
    for (const file of source)
      walk(file, (node) => {
        if (!ts.isFunctionLike(node)) return;
        const { length } = node.parameters;
        if (length > MAX_PARAMETERS) found.push(`${placeOf(file, node.getStart(file.tree))}: ${length} parameters`);
      });
    assert.deepEqual(found, []);
  });

  it(`no folder has more than ${MAX_FOLDER_FILES} code files, flat lists apart`, () => {
    const counts = new Map<string, number>();
    for (const { path } of CODE) {
      if (FLAT_FOLDERS.includes(path.split('/')[0] ?? '')) continue;
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    }
    assert.deepEqual(
      [...counts].filter(([, files]) => files > MAX_FOLDER_FILES),
      [],
    );
  });
});
