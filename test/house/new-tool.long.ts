/** The first steps of a new tool, in a copy of the sources, up to the whole of the compiler and the linter for its files. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { copyWithNewTools, NEW_TOOLS, type SourceCopy } from './source-copy.ts';

const FILES = NEW_TOOLS.flatMap(([name]) => [`tools/${name}.ts`, `test/tools/${name}.spec.ts`]);

describe('npm run new-tool', () => {
  let copy: SourceCopy;
  /** The report of both rules, from one process: most of its time is the reading of the sources. */
  let report: Promise<string>;
  before(async () => {
    copy = await copyWithNewTools();
    const both = join(copy.dir, 'test/house/both.spec.ts');
    writeFileSync(both, "import './tools.spec.ts';\nimport './tags.spec.ts';\n");
    report = copy.node('--import', 'tsx', both);
    report.catch(() => undefined);
  });
  after(() => copy.remove());

  it('npm run new-tool writes tools that keep the rules of house/tools.spec.ts', async () => {
    for (const [tool] of NEW_TOOLS) assert.ok((await report).includes(`${tool} says what it is`));
  });

  it('npm run new-tool writes tools that keep the rules of house/tags.spec.ts', async () => {
    assert.match(await report, /^ok \d+ - every tag has a description/mu);
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

  it('npm run new-tool writes files of the right types', async () => {
    const config = { extends: './tsconfig.json', include: [], files: FILES };
    writeFileSync(join(copy.dir, 'tsconfig.new.json'), JSON.stringify(config));
    await assert.doesNotReject(copy.node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.new.json'));
  });

  it('npm run new-tool writes files that lint and form are content with', async () => {
    await assert.doesNotReject(copy.node('node_modules/oxlint/bin/oxlint', ...FILES));
    await assert.doesNotReject(copy.node('node_modules/prettier/bin/prettier.cjs', '--check', ...FILES));
  });
});
