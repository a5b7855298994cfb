// Which files share a process, and in which order the processes are started.
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Seconds that each file took when it was last measured (`npm test -- --measure`). */
const DURATIONS = 'test/durations.json';
/** Of a file that was never measured. */
const UNKNOWN_S = 2;
/** A unit is not worth its process below it, and holds up the end of a run above it. */
const UNIT_S = 25;
/** Files that start the same thing, which takes longer than most of them: they share it in one process. */
const SHARED = [
  { name: 'database', helper: 'helpers/postgres.ts' },
  { name: 'browser', helper: 'helpers/browser.ts' },
];

export function durations() {
  return existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : {};
}

function groupOf(file) {
  const text = readFileSync(file, 'utf8');
  return SHARED.find(({ helper }) => text.includes(helper))?.name ?? dirname(file).replace(/^test\//u, '');
}

/** Units with their files, the longest first, so that what is left at the end is short. */
export function unitsOf(files) {
  const known = durations();
  const secondsOf = (file) => known[file] ?? UNKNOWN_S;
  const units = [];
  for (const [name, members] of groups(files)) {
    const isShared = SHARED.some((shared) => shared.name === name);
    let unit;
    for (const file of members) {
      if (unit === undefined || (!isShared && unit.seconds + secondsOf(file) > UNIT_S)) {
        unit = { name, files: [], seconds: 0 };
        units.push(unit);
      }
      unit.files.push(file);
      unit.seconds += secondsOf(file);
    }
  }
  return units.toSorted((a, b) => b.seconds - a.seconds).map((unit, at) => ({ ...unit, id: `${at}-${unit.name}` }));
}

function groups(files) {
  const found = new Map();
  for (const file of files) found.set(groupOf(file), [...(found.get(groupOf(file)) ?? []), file]);
  return found;
}
