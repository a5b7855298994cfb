/** No clock decides a test: what a busy machine makes late is no fault of the program. Figures are measured in bench/. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { CODE, codeFile, nodesOf, placeOf, walk, type CodeFile } from './code.ts';
import { textOf } from './sources.ts';

const RELATIONS = new Set([
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
]);
const CLOCKS = /^(?:performance\.now|Date\.now|process\.hrtime(?:\.bigint)?|process\.uptime)$/u;
/** A wait that is no wait for evidence. */
const SLEEP = /^import \{[^}]*\bsetTimeout\b[^}]*\} from '(?:node:)?timers\/promises'/u;
const MIN_BOUND_MS = 60_000;

/** Files of the long suite that were never measured are in no part of it that a landing runs. */
const { long } = JSON.parse(textOf('test/durations.json')) as { long: Record<string, number> };
const isEvery = ({ path }: CodeFile): boolean => !path.endsWith('.long.ts') || long[path] !== undefined;
const tests = CODE.filter((each) => each.path.startsWith('test/') && isEvery(each));
const isSpec = ({ path }: CodeFile): boolean => /\.(?:spec|long)\.ts$/u.test(path);

/** Names of one file that stand for a time of the clock, or for a function that answers one. */
class ClockNames {
  private readonly names = new Set<string>();
  private readonly file: CodeFile;

  constructor(file: CodeFile) {
    this.file = file;
    for (let before = -1; before !== this.names.size;) {
      before = this.names.size;
      walk(file, (node) => {
        const [name, value] = namingOf(node);
        if (name !== undefined && this.isOfClock(value)) this.names.add(name);
      });
    }
  }

  /** Whether an expression is a time of the clock, or computed from one; of a function, whether it answers one. */
  isOfClock(node: ts.Node | undefined): boolean {
    if (node === undefined) return false;
    if (ts.isIdentifier(node)) return this.names.has(node.text);
    if (ts.isPropertyAccessExpression(node)) return this.names.has(node.name.text);
    if (ts.isNewExpression(node)) return this.textOf(node.expression) === 'Date' && (node.arguments?.length ?? 0) === 0;
    if (ts.isCallExpression(node)) return this.isClockCall(node);
    return partsOf(node).some((each) => this.isOfClock(each));
  }

  private isClockCall({ expression, arguments: given }: ts.CallExpression): boolean {
    const called = this.textOf(expression);
    if (CLOCKS.test(called) || this.names.has(called)) return true;
    return /^(?:Math\.\w+|Number)$/u.test(called) && given.some((each) => this.isOfClock(each));
  }

  private textOf(node: ts.Node): string {
    return node.getText(this.file.tree);
  }
}

/** The name that a node gives, and to what. */
function namingOf(node: ts.Node): [name?: string, value?: ts.Node] {
  if (ts.isFunctionDeclaration(node)) return [node.name?.text, node];
  if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node))
    return ts.isIdentifier(node.name) ? [node.name.text, node.initializer] : [];
  const isAssignment = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return isAssignment && ts.isIdentifier(node.left) ? [node.left.text, node.right] : [];
}

/** The nodes that an expression has its value from; of a function, what it answers. */
function partsOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isBinaryExpression(node)) return [node.left, node.right];
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse];
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return [node.body];
  if (ts.isArrowFunction(node) || ts.isFunctionDeclaration(node))
    return node.body === undefined ? [] : answersOf(node.body);
  if (ts.isParenthesizedExpression(node) || ts.isAwaitExpression(node)) return [node.expression];
  return ts.isNonNullExpression(node) || ts.isAsExpression(node) ? [node.expression] : [];
}

function answersOf(body: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression);
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, look);
  };
  ts.forEachChild(body, look);
  return found;
}

/** The nodes that decide a test: all of a spec; of a helper, which may keep a pace by the clock, what it asserts. */
function decidingNodes(file: CodeFile): readonly ts.Node[] {
  if (isSpec(file)) return file.nodes;
  const isAssertion = (node: ts.Node): node is ts.CallExpression =>
    ts.isCallExpression(node) && /^assert\b/u.test(node.expression.getText(file.tree));
  return file.nodes.filter(isAssertion).flatMap(nodesOf);
}

function comparisonsIn(file: CodeFile): string[] {
  if (!file.text.includes('now()') && !file.text.includes('new Date()') && !file.text.includes('process.')) return [];
  const names = new ClockNames(file);
  return decidingNodes(file)
    .filter((node) => ts.isBinaryExpression(node) && RELATIONS.has(node.operatorToken.kind))
    .filter((node) => partsOf(node).some((part) => names.isOfClock(part)))
    .map((node) => `${placeOf(file, node.getStart(file.tree))} ${node.getText(file.tree)}`);
}

const planted = (text: string, path = 'test/planted.spec.ts'): CodeFile => codeFile(path, text);

describe('clocks in tests', () => {
  it('no test compares a time that it has measured with a bound', () => {
    assert.deepEqual(tests.flatMap(comparisonsIn), [], 'wait for evidence, or compare order, counts or CPU time');
  });

  it('no test waits for a time: it waits for evidence (test/helpers/until.ts)', () => {
    const sleeping = tests.filter(isSpec).flatMap((each) => {
      const imports = each.tree.statements.filter((node) => SLEEP.test(node.getText(each.tree)));
      return imports.map((node) => placeOf(each, node.getStart(each.tree)));
    });
    assert.deepEqual(
      sleeping,
      [],
      'settled() lets others have their turn; letPass() is time that the product is given',
    );
  });

  it('no wait for evidence, for an answer or for the end of a program is given up within a minute', () => {
    const bounds =
      /(?:\buntil\([^;]*?\bboundMs: |\btimeout: |\bAbortSignal\.timeout\(|\bBOUND_MS = )([\d_]+)\s*[,;)}]/gu;
    const found = tests.flatMap((each) =>
      [...each.text.matchAll(bounds)]
        .filter(([, bound = '']) => Number(bound.replaceAll('_', '')) < MIN_BOUND_MS)
        .map(({ index }) => placeOf(each, index)),
    );
    assert.deepEqual(found, []);
  });

  it('no test has a time-out of its own: the harness ends what stands still', () => {
    const found: string[] = [];
    for (const each of tests.filter(isSpec))
      walk(each, (node) => {
        const isTest =
          ts.isCallExpression(node) && /^(?:it|test|describe|itLong)$/u.test(node.expression.getText(each.tree));
        if (!isTest) return;
        const options = node.arguments.find((argument) => ts.isObjectLiteralExpression(argument));
        const names = options?.properties.map((property) => property.name?.getText(each.tree));
        if (names?.includes('timeout') === true) found.push(placeOf(each, node.getStart(each.tree)));
      });
    assert.deepEqual(found, []);
  });

  it('a clock is seen behind names, functions and arithmetic, and nothing else is', () => {
    const measured = [
      'assert.ok(performance.now() - begun < 5);',
      'const begun = Date.now(); const took = Date.now() - begun; assert.ok(took <= 5);',
      'const took = (): number => performance.now() - begun; assert.ok(took() < 5);',
      'const run = { tookMs: performance.now() - begun }; assert.ok(run.tookMs < 5);',
      'assert.ok(Math.abs(Date.now() - Date.parse(at)) < 5);',
    ];
    for (const text of measured) assert.equal(comparisonsIn(planted(text)).length, 1, text);
    const others = [
      'assert.ok(pictures.length < 5);',
      'assert.equal(answer.start, new Date(Date.now() + HOUR).toISOString());',
      'const clock = fakeClock(); assert.ok(clock.now() < 5);',
      'const app = testApp({ now: () => Date.now() }); assert.ok(app.rows > 5);',
    ];
    for (const text of others) assert.deepEqual(comparisonsIn(planted(text)), [], text);
    const pace = 'const next = performance.now() + 40; while (performance.now() < next) await send();';
    assert.deepEqual(comparisonsIn(planted(pace, 'test/helpers/feeder.ts')), []);
  });
});
