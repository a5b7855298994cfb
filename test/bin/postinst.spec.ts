/** What root does when the Debian package is installed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { PROGRAM } from '../helpers/service.ts';
import { testFolder } from '../helpers/test-folder.ts';

const root = dirname(dirname(PROGRAM));

describe('the installation by root', () => {
  it('root follows no link that the user of the service has put into its folder, and the installation goes on', (t) => {
    if (process.getuid?.() !== 0) return t.skip('only root installs the package');
    const folder = testFolder(t, 'postinst');
    chmodSync(folder, 0o755);
    const [service, settings, victim] = ['var', 'etc', 'victim'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [service, settings, victim]) mkdirSync(path, { mode: 0o755 });
    writeFileSync(join(settings, 'config.json'), '{}');
    const { uid, gid } = statSync('/proc/self');
    symlinkSync(victim, join(service, '.config'));
    const script = readFileSync(join(root, 'scripts', 'deb', 'postinst'), 'utf8')
      .replaceAll('/var/lib/onair', service)
      .replaceAll('/etc/onair', settings)
      .replaceAll('/run/systemd/system', join(folder, 'none'))
      .replaceAll('-o onair -g onair', '-o nobody -g nogroup')
      .replaceAll('--reuid=onair --regid=onair', '--reuid=nobody --regid=nogroup')
      .replaceAll('passwd onair', 'passwd nobody')
      .replaceAll('chgrp onair', 'chgrp nogroup');
    const { status, stderr } = spawnSync('sh', ['-c', script, 'postinst', 'configure', '0.1'], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.match(stderr, /is not as the service made it/u);
    const found = statSync(victim);
    assert.deepEqual([found.uid, found.gid, found.mode & 0o777, readdirSync(victim)], [uid, gid, 0o755, []]);

    rmSync(join(service, '.config'));
    const again = spawnSync('sh', ['-c', script, 'postinst', 'configure', '0.1'], { encoding: 'utf8' });
    assert.deepEqual([again.status, again.stderr], [0, '']);
    const link = join(service, '.config', 'onair', 'config.json');
    assert.equal(readlinkSync(link), join(settings, 'config.json'));
    assert.notEqual(lstatSync(link).uid, uid, 'it is of the user of the service');
  });
});
