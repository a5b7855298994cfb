import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, it } from 'node:test';
import { withRoomTable } from '../../scripts/docs-rooms.ts';
import { itLong } from '../helpers/counts.ts';
import { OTHER_PURPOSES, ROOMS } from './rooms.ts';
import { ROOT, sourceFiles, textOf, topFolders } from './sources.ts';

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
    assert.deepEqual(unnamed, [], 'give it a row in bin/settings.ts');
  });

  it('docs/cli.md says of a command what it says of itself', async () => {
    const words = (text: string): string => text.replaceAll(/\s+/gu, ' ');
    const { stdout } = await node('bin/main.ts', 'user', 'add', '--help');
    assert.match(stdout, /--email <address>/u);
    assert.ok(words(textOf('docs/cli.md')).includes(words(stdout)), stdout);
  });

  it('docs/architecture.md has a row for every folder', () => {
    const document = textOf('docs/architecture.md');
    const folders = [...topFolders(), ...Object.keys(ROOMS), ...Object.keys(OTHER_PURPOSES)];
    const missing = folders.filter((folder) => !document.includes(`\n| ${folder}/ `));
    assert.deepEqual(missing, [], 'give it a purpose in test/house/rooms.ts');
  });

  it('generated files keep what is written by hand around the table of rooms', async () => {
    const document = textOf('docs/architecture.md');
    const path = `${ROOT}/docs/architecture.md`;
    const emptied = document.replace(/(<!-- rooms: .*-->)[^]*(<!-- \/rooms -->)/u, '$1\n$2');
    assert.ok(emptied.length < document.length);
    assert.equal(await withRoomTable(path, emptied), document);
    await assert.rejects(withRoomTable(path, '# Architecture\n'), /has no lines <!-- rooms/u);
  });
});
