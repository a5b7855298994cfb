/** The row of a type of Channel or of Destination says what is true of it alone: elsewhere the row is asked, and its name hardly stands. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { channelIssues } from '../../domain/shapes/sources/channel.ts';
import { publishingIssues } from '../../domain/shapes/destinations/publishing.ts';
import { CHANNEL_ROWS, CHANNEL_TYPES } from '../../domain/types/channel-types.ts';
import { settingsIn } from '../../domain/types/destination-settings.ts';
import { DESTINATION_ROWS, PUBLISHING_TYPES } from '../../domain/types/destination-types.ts';
import { CODE, codeFile, isGenerated, placeOf, walk, type CodeFile } from './code.ts';

/** The rows, and the lists of the files that do what a type is. */
const OWN = ['domain/types/', 'device/runner/input/source-opener.ts', 'device/runner/outputs/attempts.ts'];
/** Data and examples of one type each. */
const EXAMPLES = /^(?:presets|bench|test|scripts\/demo)\/|^rest\/openapi\/example-values\.ts$/u;
/** Files beside those may name a type where they make a row of it, such as the file of the fallback. */
const MAX_FILES = 10;
const NAMES: ReadonlySet<string> = new Set([...CHANNEL_TYPES, ...PUBLISHING_TYPES]);

const others = CODE.filter(
  (file) => !isGenerated(file) && !EXAMPLES.test(file.path) && !OWN.some((path) => file.path.startsWith(path)),
);

function isName(node: ts.Node | undefined): boolean {
  return node !== undefined && ts.isStringLiteralLike(node) && NAMES.has(node.text);
}

/** A value of `type`, or of a variable of that name; a blackout has a mode File, and words of the page have keys such as `record`. */
function isOfType(node: ts.Node | undefined, { tree }: CodeFile): boolean {
  return node !== undefined && /(?:^|\W)\w*type$/iu.test(node.getText(tree));
}

/** `File` alone may be the mode of a blackout. */
function isTable(names: readonly (string | undefined)[]): boolean {
  return names.every((name) => name !== undefined && NAMES.has(name)) && names.some((name) => name !== 'File');
}

/** `type === 'SRT'`, `case 'SRT':`, and lists and tables whose members are all names of types. */
function isComparison(node: ts.Node, file: CodeFile): boolean {
  if (ts.isBinaryExpression(node) && /^[!=]==?$/u.test(node.operatorToken.getText(file.tree)))
    return (isName(node.left) && isOfType(node.right, file)) || (isName(node.right) && isOfType(node.left, file));
  if (ts.isCaseClause(node)) return isName(node.expression);
  if (ts.isArrayLiteralExpression(node))
    return isTable(node.elements.map((each) => (ts.isStringLiteralLike(each) ? each.text : undefined)));
  if (!ts.isObjectLiteralExpression(node)) return false;
  return isTable(
    node.properties.map(({ name }) =>
      name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined,
    ),
  );
}

function comparisonsIn(file: CodeFile): string[] {
  const found: string[] = [];
  walk(file, (node) => {
    if (isComparison(node, file)) found.push(placeOf(file, node.getStart(file.tree)));
  });
  return found;
}

function makesRowOfType(file: CodeFile): boolean {
  return file.nodes.some(
    (node) => ts.isPropertyAssignment(node) && isOfType(node.name, file) && isName(unwrapped(node.initializer)),
  );
}

function unwrapped(node: ts.Expression): ts.Expression {
  return ts.isAsExpression(node) ? node.expression : node;
}

describe('types of Channels and Destinations', () => {
  it('no file compares a type with its name, nor has a list or a table of types: the row is asked', () => {
    assert.deepEqual(
      others.flatMap(comparisonsIn),
      [],
      'ask domain/types/, and give the row a column where it has none',
    );
  });

  it(`at most ${MAX_FILES} files name a type, presets, examples and tests apart`, () => {
    const naming = others.filter(makesRowOfType).map(({ path }) => path);
    assert.ok(naming.length <= MAX_FILES, naming.join(', '));
  });

  it('comparisons and tables of types are found in the syntax', () => {
    const file = codeFile(
      'control/x.ts',
      `if (channel.type === 'SRT' || 'NDI' !== type) go(['SDI', 'AES/EBU'].includes(x));
      switch (kind) { case 'DASH': break; }
      const table = { SRT: 1, 'HLS / TS': 2 };
      const free = mode === 'File' ? { file: 'File' } : ['Live', 'File'];`,
    );
    assert.equal(comparisonsIn(file).length, 5);
  });

  it('the example of each type is valid', () => {
    for (const type of CHANNEL_TYPES)
      assert.deepEqual(
        channelIssues({ type, settings: { stream_key: 'made', ...CHANNEL_ROWS[type].example } }).filter(
          ({ field }) => field !== 'settings.stream_key',
        ),
        [],
        type,
      );
    for (const type of PUBLISHING_TYPES)
      assert.deepEqual(
        publishingIssues({ type, settings: settingsIn.parse(DESTINATION_ROWS[type].example) }),
        [],
        type,
      );
  });
});
