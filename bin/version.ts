import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };

export const VERSION: string = packageJson.version;

/** The pages are beside the bundle when it is built, in the checkout otherwise. */
export function webDir(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const built = join(here, 'web');
  return existsSync(built) ? built : join(here, '..', 'web');
}
