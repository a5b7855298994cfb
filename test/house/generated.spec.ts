import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, it } from 'node:test';
import { itLong } from '../helpers/counts.ts';
import { ROOMS } from './rooms.ts';
import { ROOT, sourceFiles, textOf } from './sources.ts';

function node(...args: string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(process.execPath, ['--import', 'tsx', ...args], { cwd: ROOT });
}

describe('generated files', () => {
  // Beside every run of the tests, .ci/run does the same by itself.
  itLong('generated files are what npm run gen would write', async () => {
    await assert.doesNotReject(node('scripts/gen.ts', '--check'), 'run npm run gen');
  });

  it('docs/settings.md names every variable of ours that the program reads', () => {
    const files = [...Object.keys(ROOMS).map((room) => room.split('/')[0] ?? ''), 'bin'];
    const text = [...new Set(files)].flatMap(sourceFiles).map(textOf).join('\n');
    const read = new Set(text.match(/\b(?:ONAIR_[A-Z_]+|TOOL_PROFILE)\b/gu));
    assert.ok(read.size > 20, `${read.size} variables were found`);
    const document = textOf('docs/settings.md');
    const unnamed = [...read].filter((name) => !document.includes(`\`${name}\``));
    assert.deepEqual(unnamed, [], 'give it a row in bin/settings/settings.ts');
  });

  it('docs/cli.md says of a command what it says of itself', async () => {
    const words = (text: string): string => text.replaceAll(/\s+/gu, ' ');
    const { stdout } = await node('bin/main.ts', 'user', 'add', '--help');
    assert.match(stdout, /--email <address>/u);
    assert.ok(words(textOf('docs/cli.md')).includes(words(stdout)), stdout);
  });
});
