// Makes the code that follows from the tools and that git does not hold, where they have changed: client/gen/, web/gen/, bin/gen/.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentOf, filesIn, looksOf } from './sources.mjs';

const MADE = ['client/gen/operations.ts', 'web/gen/forms.ts', 'bin/gen/operations.json'];

/** Is called before what is built, compiled, checked or tested. stdout belongs to what follows. */
export function generateWhenChanged(root) {
  // The page makes nothing of what is generated.
  const paths = filesIn(root).filter((path) => !path.startsWith('web/'));
  const stamp = join(root, 'client', 'gen', '.sources');
  const isMade = [stamp, ...MADE.map((path) => join(root, path))].every((path) => existsSync(path));
  const [looks, content] = isMade ? readFileSync(stamp, 'utf8').split('\n') : [];
  const seen = looksOf(root, paths);
  if (looks === seen) return;
  const read = contentOf(root, paths);
  if (content !== read)
    execFileSync(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), join(root, 'scripts', 'gen.ts'), '--code'],
      {
        cwd: root,
        stdio: ['ignore', 2, 2],
      },
    );
  writeFileSync(stamp, `${seen}\n${read}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  generateWhenChanged(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
