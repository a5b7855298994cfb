/** The unit that is shipped is one that systemd reads without a complaint, and it leaves ffmpeg its sandbox. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textOf } from './sources.ts';

const ANALYZE = '/usr/bin/systemd-analyze';
const unit = textOf('docs/systemd/onair.service');
const valuesOf = (name: string): string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gmu'))].flatMap(([, value]) => (value ?? '').split(' '));

describe('docs/systemd/onair.service', () => {
  it('docs/systemd/onair.service is read without a complaint', (t) => {
    if (!existsSync(ANALYZE)) return t.skip('systemd-analyze is not on this machine');
    const dir = mkdtempSync(join(tmpdir(), 'onair-unit-'));
    const path = join(dir, 'onair.service');
    try {
      writeFileSync(path, unit.replace('/usr/bin/node', process.execPath));
      const { status, stderr } = spawnSync(ANALYZE, ['verify', path], { encoding: 'utf8' });
      assert.deepEqual([stderr.split('\n').filter((line) => line.includes(path)), status], [[], 0]);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('docs/systemd/onair.service ends the control plane alone, and takes no call from the sandbox of ffmpeg', () => {
    assert.deepEqual(valuesOf('KillMode'), ['process']);
    const calls = valuesOf('SystemCallFilter');
    for (const call of ['create_ruleset', 'add_rule', 'restrict_self']) assert.ok(calls.includes(`landlock_${call}`));
    for (const family of ['AF_UNIX', 'AF_INET', 'AF_INET6', 'AF_NETLINK'])
      assert.ok(valuesOf('RestrictAddressFamilies').includes(family), family);
    assert.deepEqual(valuesOf('MemoryDenyWriteExecute'), []);
  });
});
