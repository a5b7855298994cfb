/** An update of the Debian package while a broadcast is on air, from the first version of it that there was. */
import assert from 'node:assert/strict';
import { execFileSync, execSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { machineMissing } from '../helpers/debian-machine.ts';
import { buildDeb, FETCH, InstalledService, ROOT } from '../helpers/installed-service.ts';
import { until } from '../helpers/until.ts';

/** It names no commit, and so is older than all that do. */
const FORMER = '0.1.0';

/** Builds the package of the first commit that had one, with the packages of this checkout; answers its path. */
function buildFormer(scratch: string): string {
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
  const commit = git('log', '--diff-filter=A', '--format=%H', '--', 'scripts/deb.mjs').split('\n').at(-1)!;
  const checkout = join(scratch, 'former');
  mkdirSync(checkout);
  execSync(`git archive ${commit} | tar -x -C '${checkout}'`, { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: checkout, stdio: 'ignore' });
  return buildDeb(checkout, join(scratch, 'packages'));
}

describe('an update of the Debian package', { skip: machineMissing() ?? false }, () => {
  let installed: InstalledService;
  let livestreamId: number;
  const run = (line: string): Promise<string> => installed.run(line);

  before(async () => {
    installed = new InstalledService();
    installed.server = 'https://localhost:8090';
    const former = buildFormer(installed.scratch);
    await installed.boot({ 'former.deb': former, 'onair.deb': buildDeb(ROOT, installed.scratch) });
    await installed.install('former.deb');
    livestreamId = await installed.startCounted();
  });
  after(() => installed?.dispose());

  it('an update on air from the first package replaces server and agent, loses no picture, and keeps the session of the page', async (t) => {
    assert.equal(await run("dpkg-query -W -f '${Version}' onair"), FORMER);
    await installed.signIn('/root/page');
    const former = { runners: await installed.runners(), agent: await installed.agent() };
    const flow = await installed.picturesDuring(async () => {
      await run('apt-get install -y -q --no-install-recommends /root/onair.deb');
      await until('on air', () => installed.isOnAir(livestreamId), { everyMs: 300 });
      await until('another agent', async () => (await installed.agent()) !== former.agent, { everyMs: 300 });
    });
    t.diagnostic(`${flow.pictures} pictures, ${flow.missing} missing, ${flow.repeated} repeated`);
    assert.deepEqual([flow.missing, flow.repeated], [0, 0]);
    assert.notEqual(await run("dpkg-query -W -f '${Version}' onair"), FORMER);
    assert.equal(await installed.runners(), former.runners);
    await run(`${FETCH} -b /root/page ${installed.server}/svcapiv2/security/me`);
  });

  it('the broadcast of the former program is stopped by the present one, and its Recording is whole', async () => {
    await run('onair stop Counted');
    await until('off air', async () => (await installed.runners()) === '', { everyMs: 300 });
    const list = (): Promise<{ rows: { status: string; size_bytes: number }[] }> => installed.call('getRecordings');
    const recording = await until('the Recording', async () => (await list()).rows[0], { everyMs: 500 });
    assert.ok(recording.size_bytes > 0);
  });
});
