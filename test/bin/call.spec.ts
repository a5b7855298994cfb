import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callOperation } from '../../bin/api.ts';
import { parseArguments } from '../../bin/arguments.ts';
import { usageOf } from '../../bin/usage.ts';
import { AppError } from '../../domain/errors.ts';
import { operations } from '../../tools/index.ts';
import type { Tool } from '../../toolkit/tool.ts';

const tool = (name: string): Tool => operations.find((each) => each.name === name) ?? assert.fail(name);

test('a list of ids is written with commas, alone, or as JSON', () => {
  for (const [word, elements] of [
    ['4', [4]],
    ['4,7', [4, 7]],
    ['[4,7]', [4, 7]],
    ['[]', []],
  ])
    assert.deepEqual(parseArguments(tool('addUserGroup'), ['--elements', String(word)]), { elements });
  assert.deepEqual(parseArguments(tool('addUserGroup'), ['--name', '7']), { name: '7' });
});

test('a field of the path that is missing is named before anything is sent', async () => {
  const nowhere = { url: 'http://127.0.0.1:1', token: 'unused' };
  await assert.rejects(callOperation(nowhere, tool('deleteUserGroup'), {}), (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.extras.errors?.[0]?.field], ['invalid_input', 'groupId']);
    return true;
  });
});

test('the usage of an operation tells its fields, nested ones too, and which are needed', () => {
  const usage = usageOf(tool('addChannel'));
  assert.match(usage, /^addChannel \(POST \/channels\): /u);
  assert.match(usage, /--name +yes +Name/u);
  assert.match(usage, /--settings\.url +Stream/u);
  assert.match(usageOf(tool('downloadSystemInfo')), /takes no fields/u);
});
