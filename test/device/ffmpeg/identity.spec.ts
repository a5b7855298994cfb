/** One ffmpeg is told from another by its file and its libraries, so that only a changed one is asked again. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { useEnvironment } from '../../../device/environment.ts';
import { ffmpegIdentity, loaderOf } from '../../../device/ffmpeg/identity.ts';
import { findProgram } from '../../../device/ffmpeg/programs.ts';
import { testFolder } from '../../helpers/test-folder.ts';

/** The identity where the settings and the environment say this. */
async function identity(t: TestContext, ffmpeg?: string, libraries?: string): Promise<string | undefined> {
  const variables = { PATH: process.env['PATH'], ...(libraries && { LD_LIBRARY_PATH: libraries }) };
  useEnvironment({ ffmpeg, variables });
  t.after(() => useEnvironment({ variables: {} }));
  return ffmpegIdentity();
}

it('the same ffmpeg is known again, and an upgrade of it or of one of its libraries makes it another', async (t) => {
  const dir = testFolder(t, 'identity');
  const ffmpeg = join(dir, 'ffmpeg');
  const installed = findProgram('ffmpeg')!;
  copyFileSync(installed, ffmpeg);
  const first = await identity(t, ffmpeg);
  assert.match(first!, /^[0-9a-f]{64}$/u);
  assert.equal(await identity(t, ffmpeg), first);
  assert.notEqual(await identity(t), first, 'another file of the same content');

  // A package manager sets the time of the file to that of its content, which may be the old one; the inode tells.
  const before = await identity(t, ffmpeg);
  copyFileSync(installed, `${ffmpeg}.new`);
  execFileSync('mv', [`${ffmpeg}.new`, ffmpeg]);
  utimesSync(ffmpeg, 1, 1);
  const replaced = await identity(t, ffmpeg);
  assert.notEqual(replaced, before);

  const libraries = join(dir, 'lib');
  mkdirSync(libraries);
  assert.equal(await identity(t, ffmpeg, libraries), replaced, 'an empty folder gives it no library');
  const listed = execFileSync(loaderOf(ffmpeg)!, ['--list', ffmpeg]).toString();
  const [, name, path] = /(libavcodec\.so\S*) => (\S+)/u.exec(listed) ?? [];
  if (path === undefined) return t.diagnostic('this ffmpeg has its libraries in itself');
  const library = join(libraries, name!);
  copyFileSync(realpathSync(path), library);
  const preferred = await identity(t, ffmpeg, libraries);
  assert.notEqual(preferred, replaced, 'a library that comes before the installed one');
  utimesSync(library, 1, 1);
  assert.notEqual(await identity(t, ffmpeg, libraries), preferred, 'the library in place was replaced');
});

it('what may run any ffmpeg is never known again: a script, a starter, a wrapper, a torn file', async (t) => {
  const dir = testFolder(t, 'identity');
  const script = join(dir, 'ffmpeg');
  writeFileSync(script, '#!/bin/sh\nexec /usr/bin/ffmpeg "$@"\n', { mode: 0o755 });
  assert.equal(await identity(t, script), undefined);

  const starter = join(dir, 'snap');
  copyFileSync(findProgram('ffmpeg')!, starter);
  const link = join(dir, 'linked');
  mkdirSync(link);
  symlinkSync(starter, join(link, 'ffmpeg'));
  assert.equal(await identity(t, join(link, 'ffmpeg')), undefined);

  const wrapper = join(dir, 'ffmpeg-wrapper');
  copyFileSync(findProgram('true')!, wrapper);
  assert.equal(await identity(t, wrapper), undefined);

  assert.equal(await identity(t, join(dir, 'nowhere')), undefined);
  const torn = join(dir, 'ffmpeg-torn');
  writeFileSync(torn, readFileSync(starter).subarray(0, 64), { mode: 0o755 });
  assert.equal(await identity(t, torn), undefined);
});
