// The program as it is installed on a machine: the files of the npm package, and beside them the packages that it does not bundle.
// `node scripts/package/program.mjs <folder>` writes it there.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWhenChanged, builtVersion } from '../build/stamp.mjs';
import { bakeVersion } from '../version.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Writes the program, which is built where it has changed, into `folder`; answers its version. */
export function placeProgram(folder) {
  buildWhenChanged(root);
  const version = builtVersion(root);
  const stage = mkdtempSync(join(tmpdir(), 'onair-program-'));
  try {
    const npm = ['pack', '--ignore-scripts', '--json', '--pack-destination', stage, '--loglevel=error'];
    const [{ filename }] = JSON.parse(execFileSync('npm', npm, { cwd: root, encoding: 'utf8' }));
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-xzf', join(stage, filename), '-C', folder, '--strip-components=1', '--no-same-owner']);
    for (const needed of installedPackages())
      cpSync(join(root, needed), join(folder, needed), { recursive: true, dereference: true });
    bakeVersion(folder, version);
    // A umask of the one who builds it is none of the program's.
    execFileSync('chmod', ['-R', 'u=rwX,go=rX', folder]);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return version;
}

/** Folders below node_modules that the program needs, for this architecture: those that npm has installed of the optional ones. */
function installedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional && existsSync(join(root, path)))
    .map(([path]) => path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) placeProgram(process.argv[2]);
