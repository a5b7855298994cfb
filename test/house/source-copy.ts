/** A copy of the sources in which a test may write what it likes. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './sources.ts';

const NOT_COPIED = ['node_modules', '.git', 'dist'].map((name) => join(ROOT, name));

export interface SourceCopy {
  dir: string;
  /** Runs Node there; resolves with all that it prints, and rejects with that where it fails. */
  node(...args: string[]): Promise<string>;
  remove(): void;
}

export function copySources(): SourceCopy {
  const dir = mkdtempSync(join(tmpdir(), 'onair-copy-'));
  cpSync(ROOT, dir, { recursive: true, filter: (path) => !NOT_COPIED.includes(path) });
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  return {
    dir,
    async node(...args) {
      // A runner within a runner would report to the outer one, and programs of the outer one are those of the sources as they are.
      const { NODE_TEST_CONTEXT: _ours, TEST_BUILD: _built, ...env } = process.env;
      try {
        const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: dir, env });
        return stdout + stderr;
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        throw new Error(stdout + stderr, { cause: error });
      }
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** A tool of each kind of route. */
export const NEW_TOOLS = [
  ['getChannelMood', 'GET /channels/{channelId}/mood'],
  ['addVenueSeat', 'POST /venues/{venue}/seats'],
] as const;

/** The sources after `npm run new-tool` for each of NEW_TOOLS and `npm run gen`. */
export async function copyWithNewTools(): Promise<SourceCopy> {
  const copy = copySources();
  try {
    for (const words of NEW_TOOLS) await copy.node('--import', 'tsx', 'scripts/new-tool.ts', ...words);
    await copy.node('--import', 'tsx', 'scripts/gen.ts');
  } catch (error) {
    copy.remove();
    throw error;
  }
  return copy;
}
