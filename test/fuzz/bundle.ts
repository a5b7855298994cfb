/** A target and the sources it reaches as one script that counts which of its branches are taken. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { ROOT } from '../house/sources.ts';

export interface Bundle {
  code: string;
  /** How many counters it has. */
  branches: number;
  /** Literals of the sources: what a parser compares with is seldom found by chance. */
  words: Buffer[];
}

/** Name of the counters in the script; one byte each, more than any target has branches. */
export const COUNTERS = '__counters';
const MAX_BRANCHES = 65_536;
const OURS = /^(?:device|domain|mcp|store|toolkit|test\/fuzz\/planted)[/.]/u;

/** `file`: of the target, from the root of the project. */
export async function bundleOf(file: string): Promise<Bundle> {
  const words = new Map<string, Buffer>();
  let branches = 0;
  const result = await build({
    stdin: {
      contents: `import { target } from './${file}'; import { serve } from './test/fuzz/worker.ts'; serve(target);`,
      resolveDir: ROOT,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'silent',
    banner: { js: `const ${COUNTERS} = (globalThis.${COUNTERS} = new Uint8Array(${MAX_BRANCHES}));` },
    plugins: [
      {
        name: 'counters',
        setup: ({ onLoad }) =>
          // Read by Go, which has no flag u.
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const text = readFileSync(path, 'utf8');
            if (!OURS.test(relative(ROOT, path))) return { contents: text, loader: 'ts' };
            const counted = withCounters(text, branches, words);
            branches = counted.next;
            return { contents: counted.text, loader: 'ts' };
          }),
      },
    ],
  });
  if (branches > MAX_BRANCHES) throw new RangeError(`${file} reaches ${branches} branches; raise MOST_BRANCHES.`);
  return { code: result.outputFiles[0]!.text, branches, words: [...words.values()] };
}

/** The folder of a target's corpus. */
export function corpusFolder(name: string): string {
  return join(ROOT, 'test/fuzz/corpus', name);
}

/** The text with a counter at the begin of each branch. */
function withCounters(text: string, first: number, words: Map<string, Buffer>): { text: string; next: number } {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.ES2023, true);
  let next = first;
  const inserts: { at: number; text: string }[] = [];
  const count = (): string => `${COUNTERS}[${next++}]++`;
  const insert = (at: number, added: string): void => void inserts.push({ at, text: added });
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    keepWord(node, words);
    if (ts.isCaseOrDefaultClause(node) && node.statements[0] !== undefined)
      insert(node.statements[0].getStart(), `${count()};`);
    const isBranch = isTaken(node);
    if (isBranch && ts.isBlock(node)) insert(node.getStart() + 1, `${count()};`);
    else if (isBranch && ts.isExpression(node)) insert(node.getStart(), `(${count()},`);
    else if (isBranch) insert(node.getStart(), `{${count()};`);
    ts.forEachChild(node, visit);
    // Behind the children: of two that end together the inner one is closed first.
    if (isBranch && ts.isExpression(node)) insert(node.getEnd(), ')');
    else if (isBranch && !ts.isBlock(node)) insert(node.getEnd(), '}');
  };
  visit(source);
  let changed = '';
  let from = 0;
  for (const { at, text: added } of inserts.sort((a, b) => a.at - b.at)) {
    changed += text.slice(from, at) + added;
    from = at;
  }
  return { text: changed + text.slice(from), next };
}

/** Whether control comes to this node only on one of several ways, or again and again. */
function isTaken(node: ts.Node): boolean {
  const { parent } = node;
  if (parent === undefined) return false;
  if (ts.isFunctionLike(parent)) return 'body' in parent && parent.body === node;
  if (ts.isIfStatement(parent)) return node !== parent.expression;
  if (ts.isIterationStatement(parent, false)) return node === parent.statement;
  if (ts.isConditionalExpression(parent)) return node === parent.whenTrue || node === parent.whenFalse;
  if (ts.isCatchClause(parent)) return node === parent.block;
  if (!ts.isBinaryExpression(parent) || node !== parent.right) return false;
  const { kind } = parent.operatorToken;
  return [
    ts.SyntaxKind.AmpersandAmpersandToken,
    ts.SyntaxKind.BarBarToken,
    ts.SyntaxKind.QuestionQuestionToken,
  ].includes(kind);
}

/** Numbers big-endian in as many bytes as they need, texts as they are. */
function keepWord(node: ts.Node, words: Map<string, Buffer>): void {
  let word: Buffer | undefined;
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.text);
    const hex = Number.isSafeInteger(value) ? value.toString(16) : '';
    word = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  } else if (ts.isStringLiteralLike(node) && node.text.length <= 32) word = Buffer.from(node.text);
  if (word !== undefined && word.length > 0) words.set(word.toString('latin1'), word);
}
