import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };

/** The build puts its version, which names the commit, in the place of this name. */
declare const BUILT_VERSION: string | undefined;

/** The sources themselves have the number of the release alone. */
export const VERSION: string = typeof BUILT_VERSION === 'string' ? BUILT_VERSION : packageJson.version;

/** The pages are built, also where the program runs from its sources: every command of package.json that starts it builds first. */
export function webDir(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const built = join(here, 'web');
  return existsSync(built) ? built : join(here, '..', 'dist', 'web');
}
