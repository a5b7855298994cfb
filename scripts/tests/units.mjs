// Which files share a process, in which order the processes are started, and which of the long suite a landing runs.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Seconds that each file took when it was last measured (`--measure`), by suite. */
export const DURATIONS = 'test/durations.json';
/** A file that was never measured counts as this long. */
const UNKNOWN_S = 2;
/** A unit is not worth its process below it, and holds up the end of a run above it. */
const UNIT_S = 25;
/** Files that start the same thing by a helper, which takes longer than most of them: they share it in one process. */
const SHARED = [
  { name: 'database', helper: 'test/helpers/postgres.ts' },
  { name: 'browser', helper: 'test/helpers/browser.ts' },
];
/** Summed seconds of a slice of the long suite; its units run side by side. */
const SLICE_S = 420;

export function measured() {
  return existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : { quick: {}, long: {} };
}

/** The files of the tests that a file imports, itself or by others; imports of types start nothing. */
function importedBy(file, found = new Set()) {
  if (found.has(file) || !existsSync(file)) return found;
  found.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import (?!type )|\} )[^;]*?from '(\.[^']+)'/gmu);
  for (const [, path] of imports) {
    const target = join(dirname(file), path);
    if (target.startsWith('test/')) importedBy(target, found);
  }
  return found;
}

function groupOf(file, suite) {
  if (suite === 'long') return file.replace(/^test\//u, '');
  const imported = importedBy(file);
  return SHARED.find(({ helper }) => imported.has(helper))?.name ?? dirname(file).replace(/^test\//u, '');
}

/** Units with their files, the longest first, so that what is left at the end is short. A file of the long suite is a unit. */
export function unitsOf(files, suite) {
  const known = measured()[suite];
  const secondsOf = (file) => known[file] ?? UNKNOWN_S;
  const units = [];
  for (const [name, members] of groups(files, suite)) {
    const isShared = SHARED.some((shared) => shared.name === name);
    let unit;
    for (const file of members) {
      if (unit === undefined || (!isShared && unit.seconds + secondsOf(file) > UNIT_S)) {
        unit = { name, files: [], seconds: 0, suite };
        units.push(unit);
      }
      unit.files.push(file);
      unit.seconds += secondsOf(file);
    }
  }
  return units.map((unit, at) => ({ ...unit, id: `${process.pid}-${suite}-${at}-${unit.name.replaceAll('/', '-')}` }));
}

function groups(files, suite) {
  const found = new Map();
  for (const file of files) {
    const name = groupOf(file, suite);
    found.set(name, [...(found.get(name) ?? []), file]);
  }
  return found;
}

/** The slices of the long suite: each file that was measured is in one of them, unless it takes longer than a slice may. */
export function slicesOf(files) {
  const { long } = measured();
  const known = files.filter((file) => long[file] !== undefined && long[file] <= SLICE_S);
  const slices = [];
  for (const file of known.toSorted((a, b) => long[b] - long[a] || (a < b ? -1 : 1))) {
    const open = slices.find(({ seconds }) => seconds + long[file] <= SLICE_S);
    if (open === undefined) slices.push({ files: [file], seconds: long[file] });
    else Object.assign(open, { files: [...open.files, file], seconds: open.seconds + long[file] });
  }
  return slices;
}

/** The slice of this commit: as many landings as there are slices run each of them once. */
export function sliceOfCommit(files) {
  const slices = slicesOf(files);
  if (slices.length === 0) return { files: [], at: 0, of: 0 };
  const commits = Number(execFileSync('git', ['rev-list', '--count', '--first-parent', 'HEAD'], { encoding: 'utf8' }));
  const at = commits % slices.length;
  return { files: slices[at].files, at: at + 1, of: slices.length };
}
