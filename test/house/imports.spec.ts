import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dirname } from 'node:path';
import { ADAPTERS, FLOORS, OPEN_ROOMS, RESERVED, ROOMS, SEPARATE_FILES, SUB_ROOMS } from './rooms.ts';
import { importsOf, sourceFiles, topFolders, type ImportLine } from './sources.ts';

/** Shows that the converter refuses zod 4. */
const THE_OTHER_ZOD = 'test/toolkit/json-schema.spec.ts';
const lines = topFolders().flatMap((folder) => sourceFiles(folder).flatMap((file) => importsOf(file)));
const roomOf = ({ file }: ImportLine): string => file.split('/')[0] ?? '';
const isIn = (file: string, rooms: readonly string[]): boolean => rooms.some((room) => file.startsWith(`${room}/`));
const show = ({ file, target, path }: ImportLine): string => `${file} imports ${path ?? target}`;

function isOpenToAll(target: string, outside: readonly string[]): boolean {
  if (outside.includes(target)) return true;
  return target.startsWith('node:') && outside.includes('node:*') && RESERVED[target] === undefined;
}

describe('imports', () => {
  it('the rules of imports know every folder', () => {
    const known = [...Object.keys(ROOMS), ...OPEN_ROOMS];
    assert.deepEqual(
      topFolders().filter((folder) => !known.includes(folder)),
      [],
      'give the folder a row in docs/architecture.md',
    );
  });

  for (const [room, { rooms, outside }] of Object.entries(ROOMS)) {
    const own = lines.filter((line) => roomOf(line) === room);

    it(`the room ${room}/ imports only ${[...rooms, ...outside].join(', ') || 'itself'}`, () => {
      const wrong = own.filter(({ target, path }) =>
        path === undefined ? !isOpenToAll(target, outside) : target !== room && !rooms.includes(target),
      );
      assert.deepEqual(wrong.map(show), [], `${room}/ may import ${[...rooms, ...outside].join(', ') || 'nothing'}`);
    });

    it(`the room ${room}/ uses every permission it has`, () => {
      const used = new Set(
        own.map(({ target }) => (isOpenToAll(target, outside) && !outside.includes(target) ? 'node:*' : target)),
      );
      assert.deepEqual(
        [...rooms, ...outside].filter((target) => !used.has(target)),
        [],
        'take the permission out of the table',
      );
    });
  }

  it('the rules of imports know every folder of a room that has rooms within', () => {
    const divided = [...new Set(Object.keys(SUB_ROOMS).map((room) => room.split('/')[0] ?? room))];
    const folders = new Set(divided.flatMap(sourceFiles).map(dirname));
    assert.deepEqual(
      [...folders].filter((folder) => SUB_ROOMS[folder] === undefined && ROOMS[folder] === undefined),
      [],
      'give the folder a row in docs/rooms.md',
    );
  });

  for (const [room, { rooms }] of Object.entries(SUB_ROOMS)) {
    const own = lines.filter(({ file, path }) => dirname(file) === room && path !== undefined);
    const folderOf = ({ target, path }: ImportLine): string =>
      rooms.includes(dirname(path ?? '')) || target === room.split('/')[0] ? dirname(path ?? '') : target;

    it(`files of ${room}/ import only ${rooms.join(', ') || 'each other'}`, () => {
      const wrong = own.filter((line) => folderOf(line) !== room && !rooms.includes(folderOf(line)));
      assert.deepEqual(wrong.map(show), []);
    });

    it(`files of ${room}/ use every permission they have`, () => {
      const used = new Set(own.map(folderOf));
      assert.deepEqual(
        rooms.filter((folder) => !used.has(folder)),
        [],
        'take the permission out of the table',
      );
    });
  }

  it('a floor of domain/ imports from no floor above it', () => {
    const floorOf = (path: string): number => FLOORS.indexOf(path.split('/')[1] ?? '');
    const own = lines.filter((line) => roomOf(line) === 'domain' && line.path !== undefined);
    assert.deepEqual(own.filter(({ file, path }) => floorOf(file) < floorOf(path!)).map(show), []);
    assert.deepEqual(own.filter(({ file }) => floorOf(file) < 0).map(show), [], 'give its folder a place in FLOORS');
  });

  for (const [name, allowed] of Object.entries(RESERVED)) {
    it(`only ${allowed.join(', ')} import ${name}`, () => {
      assert.deepEqual(lines.filter((line) => line.target === name && !isIn(line.file, allowed)).map(show), []);
    });
  }

  for (const [name, adapter] of Object.entries(ADAPTERS)) {
    it(`the only one of the rooms that imports ${name} is ${adapter}`, () => {
      const files = lines.filter((line) => line.target === name && ROOMS[roomOf(line)] !== undefined);
      assert.deepEqual([...new Set(files.map(({ file }) => file))], [adapter]);
    });
  }

  it('schemas are zod/v3: the converter reads nothing else', () => {
    const wrong = lines.filter(({ specifier, file }) => specifier === 'zod' && file !== THE_OTHER_ZOD);
    assert.deepEqual(wrong.map(show), []);
  });

  it('tools never import each other, nor do workflows', () => {
    const wrong = lines.filter(
      ({ file, path }) =>
        SEPARATE_FILES.some((folder) => file.startsWith(`${folder}/`) && path?.startsWith(`${folder}/`)) &&
        !file.endsWith('/index.ts'),
    );
    assert.deepEqual(wrong.map(show), []);
  });

  it('mcp and rest never import each other', () => {
    const wrong = lines.filter(
      (line) =>
        ['mcp', 'rest'].includes(roomOf(line)) && ['mcp', 'rest'].includes(line.target) && line.target !== roomOf(line),
    );
    assert.deepEqual(wrong.map(show), []);
  });
});
