/** The first steps of a new tool, in a copy of the sources. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { copyWithNewTools, NEW_TOOLS, type SourceCopy } from './source-copy.ts';

describe('npm run new-tool', () => {
  let copy: SourceCopy;
  before(async () => void (copy = await copyWithNewTools()));
  after(() => copy.remove());

  for (const name of ['tools', 'tags'])
    it(`npm run new-tool writes tools that keep the rules of house/${name}.spec.ts`, async () => {
      const output = await copy.node('--import', 'tsx', `test/house/${name}.spec.ts`);
      if (name === 'tools') for (const [tool] of NEW_TOOLS) assert.ok(output.includes(`${tool} says what it is`));
    });

  it('npm run new-tool is followed by npm run gen, which writes the definition of the tool', () => {
    for (const [tool] of NEW_TOOLS) assert.ok(existsSync(join(copy.dir, `test/golden/${tool}.txt`)));
  });

  it('npm run new-tool writes tests that fail until somebody has written them', async () => {
    const test = copy.node('--import', 'tsx', 'test/tools/addVenueSeat.spec.ts');
    await assert.rejects(test, /not ok 1 - succeeds/u);
  });

  it('npm run new-tool takes no name that is no operation, no other method, and no name that is there', async () => {
    const newTool = (...words: string[]): Promise<string> =>
      copy.node('--import', 'tsx', 'scripts/new-tool.ts', ...words);
    await assert.rejects(newTool('Bad-name'), /Usage: npm run new-tool/u);
    await assert.rejects(newTool('getIt', 'HEAD /it'), /Usage: npm run new-tool/u);
    await assert.rejects(newTool('addVenueSeat'), /tools\/addVenueSeat\.ts exists already/u);
  });
});
