/** The rules of the linter find what they are there for: each of these lines is refused by the rule beside it, and no other line is. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { ROOT } from './sources.ts';

const LINES: Record<string, [line: string, rule: string | null][]> = {
  'domain/a.ts': [
    ["import { it, type TestContext } from 'node:test';", null],
    ["import { Server } from 'node:net';", 'typescript(consistent-type-imports)'],
    ["it('is known', (t: TestContext) => void t);", null],
    ['export const server = (): Server | null => null;', null],
    ['export const wait = async (): Promise<void> => {};', null],
    ["export const kinds = (kind: 'a' | 'b'): void => {", null],
    ['  wait();', 'typescript(no-floating-promises)'],
    ['  if (wait()) void wait();', 'typescript(no-misused-promises)'],
    ["  switch (kind) { case 'a': void wait(); }", 'typescript(switch-exhaustiveness-check)'],
    ['};', null],
    ["export const fail = (): never => { throw 'words'; };", 'typescript(only-throw-error)'],
    ['export const three = async (): Promise<number> => await 3;', 'typescript(await-thenable)'],
    ['export const some: any = 3;', 'typescript(no-explicit-any)'],
    ['export const same = (a: unknown): boolean => a == 3;', 'eslint(eqeqeq)'],
    ['export const none = (a: unknown): boolean => a == null;', null],
    ['export var old = 3;', 'eslint(no-var)'],
    ['let never = 3;', 'eslint(prefer-const)'],
    ['console.log(never);', 'eslint(no-console)'],
    ['export const any = AbortSignal.any([]);', 'eslint(no-restricted-properties)'],
  ],
  'domain/base/any-signal.ts': [['export const any = AbortSignal.any([]);', null]],
  'test/a.ts': [['export const some: any = 3; console.log(some);', null]],
  'web/a.tsx': [
    ["document.body.innerHTML = '';", 'eslint(no-restricted-properties)'],
    ["document.body.outerHTML = '';", 'eslint(no-restricted-properties)'],
    ["document.body.insertAdjacentHTML('beforeend', '');", 'eslint(no-restricted-properties)'],
    ["export const a = <p style='x' />;", 'react(forbid-dom-props)'],
    ["export const b = <Other style='x' />;", 'react(forbid-component-props)'],
    ["export const c = <p dangerouslySetInnerHTML={{ __html: '' }} />;", 'react(no-danger)'],
  ],
};

interface Found {
  code: string;
  filename: string;
  labels: { span: { line: number } }[];
}

it('each rule of the linter finds what it is there for, and nothing else', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'onair-lint-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [path, lines] of Object.entries(LINES)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), lines.map(([line]) => `${line}\n`).join(''));
  }
  for (const name of ['.oxlintrc.json', 'tsconfig.json']) cpSync(join(ROOT, name), join(dir, name));
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  const lint = spawnSync(process.execPath, ['node_modules/oxlint/bin/oxlint', '-f', 'json', '.'], {
    cwd: dir,
    encoding: 'utf8',
  });
  const { diagnostics } = JSON.parse(lint.stdout) as { diagnostics: Found[] };
  const found = diagnostics.map(({ code, filename, labels }) => `${filename}:${labels[0]!.span.line} ${code}`);
  const due = Object.entries(LINES).flatMap(([path, lines]) =>
    lines.flatMap(([, rule], at) => (rule === null ? [] : [`${path}:${at + 1} ${rule}`])),
  );
  assert.deepEqual(found.sort(), due.sort());
});
