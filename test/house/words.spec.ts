/** Wire names are sacred, and file names are nouns. */
import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { describe, it } from 'node:test';
import { z } from 'zod/v3';
import { ERROR_CODES } from '../../domain/base/errors.ts';
import { operations } from '../../tools/index.ts';
import { ROOMS } from './rooms.ts';
import { sourceFiles, textOf } from './sources.ts';
import { wordsOf } from '../helpers/words.ts';

/** Fields that the specification names in another style than ours. */
const SPECIFIED = wordsOf(`
  idEncoderGroup startConfig startAllowed scteMarkers startWithoutSource onDeviceLoss includeDestinations includeChannel
  fileType errorstatus confirmStopLive confirmStopDestination mountstatus remotefolder contentid audiotrack
  pageSize totalPages keepAudio livestreamIds
`);
const REFERENCE = /^[a-z]+([A-Z][a-z]+)*Id$/u;
const SNAKE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/u;

function fieldNames(schema: z.ZodTypeAny): string[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape as z.ZodRawShape).flatMap(([name, field]) => [name, ...fieldNames(field)]);
  }
  if (schema instanceof z.ZodArray) return fieldNames(schema.element as z.ZodTypeAny);
  if (schema instanceof z.ZodDefault) return fieldNames(schema.removeDefault() as z.ZodTypeAny);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return fieldNames(schema.unwrap() as z.ZodTypeAny);
  return [];
}

describe('words', () => {
  it('fields are snake_case, references camelCase with the noun, or named by the specification', () => {
    const names = new Set(operations.flatMap((tool) => [...fieldNames(tool.input), ...fieldNames(tool.output)]));
    assert.deepEqual(
      [...names].filter((name) => !SNAKE.test(name) && !REFERENCE.test(name) && !SPECIFIED.includes(name)),
      [],
    );
  });

  it('every exception to the words of fields is used', () => {
    const names = new Set(operations.flatMap((tool) => [...fieldNames(tool.input), ...fieldNames(tool.output)]));
    assert.deepEqual(
      SPECIFIED.filter((name) => !names.has(name)),
      [],
    );
  });

  it('files are kebab-case nouns that say what is in them', () => {
    const files = Object.keys(ROOMS)
      .filter((room) => room !== 'tools' && room !== 'workflows')
      .flatMap(sourceFiles);
    const names = files.map((file) => [file, basename(file, '.ts')] as const);
    assert.deepEqual(
      names.filter(([, name]) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.d)?$/u.test(name)),
      [],
    );
    const empty = /^(utils?|helpers?|common|manager|service|misc|data|info|index)$/u;
    assert.deepEqual(
      names.filter(([file, name]) => empty.test(name) || empty.test(basename(dirname(file)))),
      [],
    );
  });

  it('no file says what is still to be done', () => {
    const files = Object.keys(ROOMS).flatMap(sourceFiles);
    assert.deepEqual(
      files.filter((file) => /\b(TODO|FIXME|XXX|HACK)\b/u.test(textOf(file))),
      [],
    );
  });

  it('a sentence names a row by its name: by its id alone where it has no row, and in the log', () => {
    const kinds = '(?:Channel|Destination|Device|DRM provider|Encoding|Live stream|Publishing|Recording|Schedule)';
    const byId = new RegExp(`\\b${kinds}(?: group)? \\$\\{(?:[\\w.!]*\\.)?(?:id|\\w+Id)\\}`, 'u');
    const isExcepted = (line: string): boolean =>
      /does not exist|is gone|is not part of this run|is named twice|has the name|is not on air|\blog\.|A run of/u.test(
        line,
      );
    const rooms = ['control', 'domain', 'integrations', 'rest', 'scheduler', 'toolkit', 'tools', 'workflows'];
    const lines = rooms.flatMap(sourceFiles).flatMap((file) =>
      textOf(file)
        .split('\n')
        .map((line) => `${file}: ${line.trim()}`),
    );
    assert.deepEqual(
      lines.filter((line) => byId.test(line) && !isExcepted(line)),
      [],
      'called() and calledIn() of domain/base/sentence.ts name it',
    );
  });

  it('every error code says what to do', () => {
    for (const [code, { status, remedy, title }] of Object.entries(ERROR_CODES)) {
      assert.match(code, SNAKE);
      assert.ok(status >= 400 && status < 600 && title.length > 0);
      assert.match(remedy, /^[A-Z].*\.$/u, code);
    }
  });
});
