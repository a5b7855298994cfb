/** How files hang together: no circle of imports, no export without a use, one class for a name, clock and environment from outside. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { CODE, placeOf, targetOf, walk, type CodeFile } from './code.ts';

/** The modules that read the clock of the machine: below bin/, and in the browser. */
const CLOCK_FILES = ['domain/time/clock.ts', 'web/machine-clock.ts'];
const OUTER_FOLDERS = /^(bin|scripts|bench|test)\//u;

interface Import {
  file: string;
  target: string;
  /** Names that are taken; `*` for all of them. */
  names: string[];
}

function isRelative(node: ts.Expression | undefined): node is ts.StringLiteral {
  return node !== undefined && ts.isStringLiteral(node) && node.text.startsWith('.');
}

function namesOf(node: ts.ImportDeclaration | ts.ExportDeclaration): string[] {
  const bindings = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
  const own = ts.isImportDeclaration(node) && node.importClause?.name !== undefined ? ['default'] : [];
  if (bindings === undefined) return ts.isExportDeclaration(node) ? ['*'] : own;
  if (!ts.isNamedImports(bindings) && !ts.isNamedExports(bindings)) return ['*', ...own];
  return [...own, ...bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text)];
}

/** Import lines, types included; a dynamic import takes everything, and makes no circle: it is not there when the file is loaded. */
function importsOf(file: CodeFile): { lines: Import[]; dynamic: Import[] } {
  const lines: Import[] = [];
  const dynamic: Import[] = [];
  const add = (to: Import[], { text }: ts.StringLiteral, names: string[]): void => {
    to.push({ file: file.path, target: targetOf(file.path, text), names });
  };
  walk(file, (node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && isRelative(node.moduleSpecifier))
      add(lines, node.moduleSpecifier, namesOf(node));
    if (
      ts.isCallExpression(node) &&
      node.expression.kind === ts.SyntaxKind.ImportKeyword &&
      isRelative(node.arguments[0])
    )
      add(dynamic, node.arguments[0], ['*']);
    if (
      ts.isImportTypeNode(node) &&
      ts.isLiteralTypeNode(node.argument) &&
      isRelative(node.argument.literal as ts.Expression)
    )
      add(lines, node.argument.literal as ts.StringLiteral, ['*']);
  });
  return { lines, dynamic };
}

/** Groups of files that import each other, by Tarjan's algorithm. */
function circles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    stack.push(file);
    for (const target of edges.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group);
  };
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return found;
}

function isExported(node: ts.Node): boolean {
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

/** Functions, classes and values; types may be exported for whoever needs them. */
function exportsOf({ tree }: CodeFile): string[] {
  return tree.statements.filter(isExported).flatMap((statement) => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name)
          ? [name.text]
          : name.elements.map((element) => element.getText(tree).split(':').at(-1)!.trim()),
      );
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
      return [
        statement.modifiers!.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
          ? 'default'
          : statement.name!.text,
      ];
    return [];
  });
}

describe('structure', () => {
  const imports = new Map(CODE.map((file) => [file.path, importsOf(file)]));
  const source = CODE.filter(({ isSource }) => isSource);

  it('no files import each other in a circle, types included', () => {
    const edges = new Map([...imports].map(([path, { lines }]) => [path, lines.map(({ target }) => target)]));
    assert.deepEqual(circles(edges), []);
  });

  it('every exported function, class and value is imported by another file', () => {
    const used = new Map<string, Set<string>>();
    for (const { lines, dynamic } of imports.values())
      for (const { target, names } of [...lines, ...dynamic])
        used.set(target, new Set([...(used.get(target) ?? []), ...names]));
    const unused = source.flatMap((file) =>
      exportsOf(file)
        .filter((name) => used.get(file.path)?.has(name) !== true && used.get(file.path)?.has('*') !== true)
        .map((name) => `${file.path} ${name}`),
    );
    assert.deepEqual(unused, []);
  });

  it('no class has the name of another one', () => {
    const files = new Map<string, string[]>();
    for (const file of source)
      walk(file, (node) => {
        if (!ts.isClassDeclaration(node) || node.name === undefined) return;
        files.set(node.name.text, [...(files.get(node.name.text) ?? []), file.path]);
      });
    assert.deepEqual(
      [...files].filter(([, paths]) => paths.length > 1),
      [],
    );
  });

  it(`only bin, scripts, bench, test, ${CLOCK_FILES.join(' and ')} read the clock, and only the first four the environment`, () => {
    const found: string[] = [];
    const isReader = ({ path, text }: CodeFile): boolean =>
      !OUTER_FOLDERS.test(path) && /Date|process\.env/u.test(text);
    for (const file of source.filter(isReader))
      walk(file, (node) => {
        const text = ts.isPropertyAccessExpression(node) ? node.getText(file.tree) : '';
        const isNow =
          text === 'Date.now' || (ts.isNewExpression(node) && /^new Date(\(\))?$/u.test(node.getText(file.tree)));
        if (text === 'process.env' || (isNow && !CLOCK_FILES.includes(file.path)))
          found.push(placeOf(file, node.getStart(file.tree)));
      });
    assert.deepEqual(found, []);
  });
});

describe('writing', () => {
  it('object literals are not spread into object literals, nor into JSX', () => {
    assert.deepEqual(
      placesOf(
        (node) =>
          (ts.isSpreadAssignment(node) || ts.isJsxSpreadAttribute(node)) &&
          ts.isObjectLiteralExpression(node.expression),
      ),
      [],
      'write the keys',
    );
  });

  it('private members are TypeScript’s', () => {
    assert.deepEqual(placesOf(ts.isPrivateIdentifier), [], 'write `private name`, not `#name`');
  });

  it('what the formatter must leave alone has its reason in the line above', () => {
    const mark = new RegExp(`(//|/\\*) ${['prettier', 'ignore'].join('-')}`, 'u');
    const found = CODE.flatMap((file) => {
      const lines = file.text.split('\n');
      const isUnexplained = (line: string, i: number): boolean =>
        mark.test(line) && !/^\s*(\/\/|\*|\/\*)/u.test(lines[i - 1] ?? '');
      return lines.flatMap((line, i) => (isUnexplained(line, i) ? [`${file.path}:${i + 1}`] : []));
    });
    assert.deepEqual(found, []);
  });

  it('no value travels beside the arguments of a call', () => {
    const hidden = ['Async', 'LocalStorage'].join('');
    assert.deepEqual(
      CODE.filter(({ text }) => text.includes(hidden)).map(({ path }) => path),
      [],
    );
  });
});

function placesOf(isWrong: (node: ts.Node) => boolean): string[] {
  return CODE.flatMap((file) => {
    const found: string[] = [];
    walk(file, (node) => isWrong(node) && found.push(placeOf(file, node.getStart(file.tree))));
    return found;
  });
}
