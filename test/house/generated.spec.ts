import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, it } from 'node:test';
import { ROOT } from './sources.ts';

describe('generated files', () => {
  it('are what npm run gen would write', async () => {
    const run = promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/gen.ts', '--check'], { cwd: ROOT });
    await assert.doesNotReject(run, 'run npm run gen');
  });
});
