/** Looks for the NDI runtime of the Device's owner. Nothing of it comes with this program: its licence is between its makers and its users. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

/** Versions whose functions and layouts are the same, the newest first. */
const VERSIONS = [6, 5];
const LOADER_CACHE = '/etc/ld.so.cache';

/** Answers a path, or a name that the loader knows; undefined where there is none. */
export function findNdi(variables: Readonly<NodeJS.ProcessEnv>): string | undefined {
  const folders = (variables['LD_LIBRARY_PATH'] ?? '').split(delimiter);
  for (const version of VERSIONS) {
    const name = `libndi.so.${version}`;
    const own = variables[`NDI_RUNTIME_DIR_V${version}`] ?? '';
    const folder = [own, ...folders].find((each) => each !== '' && existsSync(join(each, name)));
    if (folder !== undefined) return join(folder, name);
  }
  return VERSIONS.map((version) => `libndi.so.${version}`).find(isInCache);
}

function isInCache(name: string): boolean {
  try {
    return readFileSync(LOADER_CACHE).includes(name);
  } catch {
    // A system without a cache of its loader names the folder in LD_LIBRARY_PATH.
    return false;
  }
}

/** It is optional: an installation without it has all but NDI. */
export function hasKoffi(): boolean {
  try {
    createRequire(import.meta.url).resolve('koffi');
    return true;
  } catch {
    // It was left out, or this processor has none.
    return false;
  }
}
