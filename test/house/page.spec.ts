/** The rules of the page: which folder of web/ imports which, sizes, and that nothing but api/ and live/ speaks to the server. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { CODE, isGenerated, placeOf, walk, type CodeFile } from './code.ts';
import { importsOf } from './sources.ts';
import { wordsOf } from '../helpers/words.ts';

const MAX_LINES = 200;
/** A file with markup is read as one picture. */
const MAX_VIEW_LINES = 150;

/** Folders and packages that the files of a folder import from, beside their own; files that lie in web/ itself are open to all. */
const PERMITTED: Record<string, readonly string[]> = {
  'web/i18n': ['web/gen', '@preact/signals'],
  'web/docs': ['swagger-ui-dist'],
  'web/gen': [],
  'web/ui': ['web/i18n', '@preact/signals', 'preact'],
  'web/live': ['client', '@preact/signals'],
  'web/api': ['client', 'web/i18n', '@preact/signals', '@tanstack/query-core', 'preact'],
  'web/resource': ['client', 'web/api', 'web/gen', 'web/i18n', 'web/live', 'web/ui', '@preact/signals', 'preact'],
  'web/shell': ['web/api', 'web/gen', 'web/i18n', 'web/live', 'web/ui', '@preact/signals', 'preact'],
  'web/stop': ['web/api', 'web/i18n', 'web/live', 'web/ui', 'preact'],
  'web/wizard': ['web/api', 'web/gen', 'web/i18n', 'web/live', 'web/resource', 'web/ui', '@preact/signals', 'preact'],
  'web/pages': wordsOf(
    'client web/api web/gen web/i18n web/live web/resource web/stop web/ui web/wizard @preact/signals hls.js preact uplot',
  ),
};
/** The one file that names the pages, to load each when it is opened. */
const PAGE_LIST = 'web/shell/chunks.ts';
const files = CODE.filter(({ path }) => path.startsWith('web/'));
const roomOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('web/') ? 2 : 1)
    .join('/');
const pageOf = (path: string): string => path.split('/').slice(0, 3).join('/');

describe('the page', () => {
  for (const [room, permitted] of Object.entries(PERMITTED))
    it(`files of ${room}/ import only ${permitted.join(', ') || 'each other'}`, () => {
      const wrong = files
        .filter(({ path }) => path.startsWith(`${room}/`) && path !== PAGE_LIST)
        .flatMap(({ path }) => importsOf(path))
        .filter(({ path, target }) => {
          if (path === undefined) return !permitted.includes(target);
          // A style or a file of web/ itself.
          if (path.startsWith('web/style/') || /^web\/[\w-]+\.tsx?$/u.test(path)) return false;
          return roomOf(path) !== room && !permitted.includes(roomOf(path));
        });
      assert.deepEqual(
        wrong.map(({ file, specifier }) => `${file} imports ${specifier}`),
        [],
      );
    });

  it('every folder of web/ has its rule', () => {
    const rooms = new Set(files.filter(({ path }) => path.split('/').length > 2).map(({ path }) => roomOf(path)));
    rooms.delete('web/style');
    assert.deepEqual(
      [...rooms].filter((room) => PERMITTED[room] === undefined),
      [],
    );
  });

  it('pages never import each other', () => {
    const pages = files.filter(({ path }) => path.startsWith('web/pages/'));
    const wrong = pages
      .flatMap(({ path }) => importsOf(path))
      .filter(({ file, path }) => path?.startsWith('web/pages/') && pageOf(path) !== pageOf(file));
    assert.deepEqual(
      wrong.map(({ file, specifier }) => `${file} imports ${specifier}`),
      [],
    );
  });

  it(`no file of the page has more than ${MAX_LINES} lines, and none with markup more than ${MAX_VIEW_LINES}`, () => {
    const found = files
      .filter((file) => !isGenerated(file))
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ path, lines }) => lines > (path.endsWith('x') ? MAX_VIEW_LINES : MAX_LINES));
    assert.deepEqual(found, []);
  });

  it('only api/, live/ and the page of the API speak to the server', () => {
    const found = files
      .filter(({ path }) => !/^web\/(api|docs|live)\//u.test(path))
      .flatMap((file) => callsOf(file, ['fetch', 'EventSource', 'XMLHttpRequest', 'SharedWorker']));
    assert.deepEqual(found, []);
  });
});

/** Places that call one of the functions or make one of the classes. */
function callsOf(file: CodeFile, names: readonly string[]): string[] {
  const found: string[] = [];
  walk(file, (node) => {
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
    if (names.includes(node.expression.getText(file.tree)))
      found.push(`${placeOf(file, node.getStart(file.tree))} ${node.expression.getText(file.tree)}`);
  });
  return found;
}
