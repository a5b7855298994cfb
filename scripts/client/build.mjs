// Builds `onair/client` for others: one readable module without imports, and its declarations.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DECLARATIONS = ['types.d.ts', 'arguments.d.ts', 'gen/api.d.ts', 'gen/methods.d.ts'];

/** Writes client.js and the declarations into the folder `out`. */
export async function buildClient({ client, out }) {
  await build({
    entryPoints: [join(client, 'client.ts')],
    outdir: out,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: ['node20', 'chrome120', 'firefox121', 'safari17'],
    logLevel: 'warning',
  });
  for (const name of DECLARATIONS) {
    mkdirSync(dirname(join(out, name)), { recursive: true });
    copyFileSync(join(client, name), join(out, name));
  }
}
