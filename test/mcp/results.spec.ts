import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, invalidInput } from '../../domain/errors.ts';
import { toErrorResult } from '../../mcp/results.ts';

const said = (error: AppError): string => {
  const [first] = toErrorResult(error, 'r').content;
  return first?.type === 'text' ? first.text : '';
};

test('the text of an error is sentences: what failed, then the remedy', () => {
  const missing = invalidInput([{ field: 'name', code: 'required', message: 'is required' }]);
  assert.match(said(missing), /name: is required\. Correct the fields/u);
  assert.match(said(new AppError('conflict', 'It is there.')), /^It is there\. Read the present state/u);
});
