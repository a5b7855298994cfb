/** The source files of the project, their imports, and the declaration of a tool, read with the compiler's own parser. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const NOT_OURS = new Set(['node_modules', 'dist', 'site', 'web', 'docs']);

export function topFolders(): string[] {
  return readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !NOT_OURS.has(entry.name))
    .map((entry) => entry.name);
}

export function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export interface ImportLine {
  file: string;
  /** A room of ours, a package, or `node:…`. */
  target: string;
  /** As it is written. */
  specifier: string;
  /** Path from the root of an import of ours. */
  path: string | undefined;
}

export function importsOf(file: string): ImportLine[] {
  return ts.preProcessFile(textOf(file)).importedFiles.map(({ fileName }) => {
    if (fileName.startsWith('.')) {
      const path = normalize(join(dirname(file), fileName));
      return { file, target: path.split('/')[0] ?? '', specifier: fileName, path };
    }
    const parts = fileName.split('/');
    const target = fileName.startsWith('node:') ? fileName : parts.slice(0, fileName.startsWith('@') ? 2 : 1).join('/');
    return { file, target, specifier: fileName, path: undefined };
  });
}

export interface DeclaredTool {
  /** Names that the file exports. */
  exports: string[];
  /** Keys of the declaration in the order they are written. */
  keys: string[];
  handlerLines: number;
  lines: number;
}

/** The text of a tool file; the tool is the first argument of the call that makes it. */
export function declarationOf(file: string): DeclaredTool {
  const text = textOf(file);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const exports: string[] = [];
  let declaration: ts.ObjectLiteralExpression | undefined;
  for (const statement of source.statements) {
    if (
      !ts.isVariableStatement(statement) ||
      !statement.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)
    )
      continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      exports.push(name.getText());
      const argument = initializer && ts.isCallExpression(initializer) ? initializer.arguments[0] : undefined;
      if (argument && ts.isObjectLiteralExpression(argument)) declaration = argument;
    }
  }
  const members = declaration?.properties ?? [];
  const handler = members.find((member) => member.name?.getText() === 'handle')?.getText() ?? '';
  return {
    exports,
    keys: members.map((member) => member.name?.getText() ?? ''),
    handlerLines: handler.split('\n').length,
    lines: text.trimEnd().split('\n').length,
  };
}
