/** The program as it was at an earlier commit, built in a checkout of its own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const git = (...words: string[]): string => execFileSync('git', ['-C', ROOT, ...words], { encoding: 'utf8' }).trim();

export interface Former {
  /** The commit, and when it was made. */
  name: string;
  program: string;
  dispose(): void;
}

/** `revision` is whatever git takes; left out: what was there a day ago. Its packages are those of its own lock. */
export function formerProgram(revision: string | undefined): Former {
  const commit = revision ?? git('log', '--first-parent', '--before=1 day ago', '-1', '--format=%H');
  const dir = mkdtempSync(join(tmpdir(), 'onair-former-'));
  git('worktree', 'add', '--detach', dir, commit);
  const dispose = (): void => {
    git('worktree', 'remove', '--force', dir);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    dispose();
    throw error;
  }
  return { name: git('log', '-1', '--format=%h of %cs', commit), program: join(dir, 'bin', 'onair.js'), dispose };
}
