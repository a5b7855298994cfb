/** A `scripts/gen.ts` for a folder that is no checkout of ours: it makes empty files where the build expects made ones. */
export const PLAIN_GENERATOR = `import { mkdirSync, writeFileSync } from 'node:fs';
for (const path of ['client/gen/operations.ts', 'web/gen/forms.ts', 'bin/gen/operations.json']) {
  mkdirSync(path.replace(/[^/]+$/u, ''), { recursive: true });
  writeFileSync(path, '');
}
`;
