/** Completion: which words can stand at a place of the command line, whatever shell has it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { candidatesFor } from '../../bin/completion/complete.ts';
import { SCRIPTS } from '../../bin/completion/scripts.ts';
import { COMMANDS, loadOperations } from '../../bin/completion/trees.ts';
import { program } from '../../bin/program.ts';

const LIVE: Readonly<Record<string, string[]>> = {
  livestream: ['Sunday service', 'Show'],
  channel: ['Camera 1', 'Camera 2'],
  channelId: ['7'],
  server: ['https://studio.example.com'],
};
const kinds: string[] = [];
const complete = async (...words: string[]): Promise<string[]> => {
  const live = (kind: string): Promise<{ word: string }[]> => {
    kinds.push(kind);
    return Promise.resolve((LIVE[kind] ?? []).map((word) => ({ word })));
  };
  const found = await candidatesFor(words, { commands: COMMANDS, operations: loadOperations, live });
  return found.map(({ word }) => word);
};

describe('completion', () => {
  it('has the commands of the program, at each depth', async () => {
    const words = await complete('');
    assert.deepEqual(
      words,
      program
        .createHelp()
        .visibleCommands(program)
        .map((each) => each.name())
        .filter((name) => name !== 'help'),
    );
    assert.deepEqual(await complete('context', ''), ['ls', 'use', 'rm']);
    assert.deepEqual(await complete('sta'), ['status', 'start']);
  });

  it('has the names that a command takes, in any letters, each at its place', async () => {
    assert.deepEqual(await complete('start', 'su'), ['Sunday service']);
    assert.deepEqual(await complete('switch', 'Show', ''), ['Camera 1', 'Camera 2']);
    assert.deepEqual(await complete('switch', '-o', 'json', 'Show', 'camera 2'), ['Camera 2']);
    assert.deepEqual(await complete('start', 'Show', ''), []);
    assert.deepEqual(await complete('context', 'use', 'https'), ['https://studio.example.com']);
  });

  it('has the flags of a command, and the values of those that take one of some words', async () => {
    assert.ok((await complete('start', '--')).includes('--dry-run'));
    assert.deepEqual(await complete('schedule', 'Show', '--recurrence', 'w'), ['weekly', 'workdays', 'weekend']);
    assert.deepEqual(await complete('status', '-o', ''), ['table', 'json', 'yaml']);
    assert.deepEqual(await complete('cue', 'Show', ''), ['out', 'in']);
    assert.ok((await complete('ls', '')).includes('livestreams'));
  });

  it('has the operations, their fields that are not given yet, and the values of a field', async () => {
    assert.deepEqual(await complete('call', 'addChan'), ['addChannel']);
    assert.deepEqual(await complete('call', 'addChannel', '--name', 'x', '--na'), []);
    assert.deepEqual(await complete('call', 'addChannel', '--type', 'RT'), ['RTMP-Push']);
    assert.deepEqual(await complete('call', 'addLivestream', '--channelId', ''), ['7']);
    assert.deepEqual(await complete('call', 'start_livestream', '--livestream', 'Sh'), ['Show']);
  });

  it('asks the server only where a name can stand', async () => {
    kinds.length = 0;
    for (const words of [[''], ['status', '--'], ['call', 'addChannel', '--'], ['completion', '']])
      await complete(...words);
    assert.deepEqual(kinds, []);
  });

  it('is loaded by a script that each shell takes', (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'onair-completion-'));
    t.after(() => rmSync(dir, { recursive: true }));
    for (const [shell, script] of Object.entries(SCRIPTS)) {
      const path = join(dir, shell);
      writeFileSync(path, script);
      const { status, stderr, error } = spawnSync(shell, ['-n', path], { encoding: 'utf8' });
      if (error === undefined) assert.equal(status, 0, stderr);
      else t.diagnostic(`${shell} is not installed here`);
    }
  });
});
