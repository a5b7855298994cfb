/** The whole of the compiler and the linter for two files: too long for every run. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { copyWithNewTools, NEW_TOOLS, type SourceCopy } from './source-copy.ts';

const FILES = NEW_TOOLS.flatMap(([name]) => [`tools/${name}.ts`, `test/tools/${name}.spec.ts`]);

describe('npm run new-tool', () => {
  let copy: SourceCopy;
  before(async () => void (copy = await copyWithNewTools()));
  after(() => copy.remove());

  it('npm run new-tool writes files of the right types', async () => {
    const config = { extends: './tsconfig.json', include: [], files: FILES };
    writeFileSync(join(copy.dir, 'tsconfig.new.json'), JSON.stringify(config));
    await assert.doesNotReject(copy.node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.new.json'));
  });

  it('npm run new-tool writes files that lint and form are content with', async () => {
    await assert.doesNotReject(copy.node('node_modules/eslint/bin/eslint.js', '--max-warnings', '0', ...FILES));
    await assert.doesNotReject(copy.node('node_modules/prettier/bin/prettier.cjs', '--check', ...FILES));
  });
});
