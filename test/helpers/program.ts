import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Arguments of node that start a program of the tests, which lies in a folder `fixtures`: in its compiled form when the spec runs in its own,
 * and through a loader otherwise.
 */
export function programArguments(entry: URL): string[] {
  const path = fileURLToPath(entry);
  const build = process.env['TEST_BUILD'];
  if (build === undefined) return ['--import', 'tsx', path];
  return [join(build, relative(ROOT, path).replace(/\.ts$/u, '.js'))];
}
