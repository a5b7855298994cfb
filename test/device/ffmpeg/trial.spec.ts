/** The trial of a machine before anything is trusted to it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PRLIMIT } from '../../../device/ffmpeg/bounds.ts';
import { PERL } from '../../../device/ffmpeg/landlock.ts';
import { SETPRIV } from '../../../device/ffmpeg/launch.ts';
import { missingProtection, trySandbox } from '../../../device/ffmpeg/trial.ts';

it('each tool that is not there is named with its package, and a kernel without a sandbox with its reason', () => {
  const needs = (absent: string[], sandbox: 'landlock' | 'none' = 'landlock'): string =>
    missingProtection({ sandbox, reason: 'Landlock: not implemented' }, (path) =>
      absent.includes(path) ? undefined : path,
    )
      .map((entry) => `${entry.feature} – ${entry.needs}`)
      .join('\n');
  assert.equal(needs([]), '');
  assert.match(needs([PRLIMIT]), /^bounds of memory.* – \/usr\/bin\/prlimit: apt-get install util-linux$/u);
  assert.match(
    needs([SETPRIV]),
    /^an ffmpeg that gains no rights.* – \/usr\/bin\/setpriv: apt-get install util-linux$/u,
  );
  assert.match(needs([PERL], 'none'), /^a sandbox for ffmpeg – \/usr\/bin\/perl: apt-get install perl-base$/u);
  assert.match(needs([], 'none'), /^a sandbox for ffmpeg – Linux 5\.13.*\(Landlock: not implemented\)/u);
  assert.match(needs([PRLIMIT], 'none'), /^bounds.*\na sandbox for ffmpeg – Linux 5\.13/u);
  assert.deepEqual(
    missingProtection({ sandbox: 'none', isUntried: true }, (path) => path),
    [],
  );
});

it('a sandbox that leaves the data folder open counts as none', async (t) => {
  if ((await trySandbox()).sandbox === 'none') return t.skip('this kernel confines nothing');
  assert.equal((await trySandbox('/nowhere/agent.json')).sandbox, 'landlock');
  // A data folder among the libraries and fonts that every ffmpeg may read.
  const { sandbox, reason } = await trySandbox('/usr/share/common-licenses/GPL-3');
  assert.equal(sandbox, 'none');
  assert.match(reason!, /GPL-3 could be read in it/u);
  assert.equal((await trySandbox()).sandbox, 'none', 'for all that this process starts');
});
