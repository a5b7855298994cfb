/** The units that are shipped are read by systemd without a complaint, and leave ffmpeg its sandbox. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textOf } from './sources.ts';

const ANALYZE = '/usr/bin/systemd-analyze';

for (const name of ['onair.service', 'onair-device.service']) {
  const unit = textOf(`docs/systemd/${name}`);
  const valuesOf = (field: string): string[] =>
    [...unit.matchAll(new RegExp(`^${field}=(.*)$`, 'gmu'))].flatMap(([, value]) => (value ?? '').split(' '));

  describe(`docs/systemd/${name}`, () => {
    it(`docs/systemd/${name} is read without a complaint`, (t) => {
      if (!existsSync(ANALYZE)) return t.skip('systemd-analyze is not on this machine');
      const dir = mkdtempSync(join(tmpdir(), 'onair-unit-'));
      const path = join(dir, name);
      try {
        writeFileSync(path, unit.replace('/usr/bin/node', process.execPath));
        const { status, stderr } = spawnSync(ANALYZE, ['verify', path], { encoding: 'utf8' });
        assert.deepEqual([stderr.split('\n').filter((line) => line.includes(path)), status], [[], 0]);
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    });

    it(`docs/systemd/${name} ends its main process alone, and takes no call from the sandbox of ffmpeg`, () => {
      assert.deepEqual(valuesOf('KillMode'), ['process']);
      const calls = valuesOf('SystemCallFilter');
      for (const call of ['create_ruleset', 'add_rule', 'restrict_self']) assert.ok(calls.includes(`landlock_${call}`));
      for (const family of ['AF_UNIX', 'AF_INET', 'AF_INET6', 'AF_NETLINK'])
        assert.ok(valuesOf('RestrictAddressFamilies').includes(family), family);
      assert.deepEqual(valuesOf('MemoryDenyWriteExecute'), []);
    });
  });
}
