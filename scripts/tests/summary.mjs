// What a run says at its end, and what it keeps.
import { DURATIONS, measured } from './units.mjs';

const DEAREST = 10;

/** The files that took most CPU time, that of all, and the counts as node's runner closes with them. */
export function closingLines(outcomes, { cpu, ms }) {
  const counts = new Map();
  for (const outcome of outcomes)
    for (const [name, count] of outcome.counts) counts.set(name, (counts.get(name) ?? 0) + count);
  const files = outcomes.flatMap((outcome) => [...outcome.files]).sort(([, a], [, b]) => b.cpu - a.cpu);
  return [
    ...files
      .slice(0, DEAREST)
      .map(([file, took]) => `${took.cpu.toFixed(1)} s of CPU, ${took.seconds.toFixed(1)} s: ${file}`),
    `cpu ${(cpu / 60).toFixed(1)} min in ${outcomes.length} processes of ${files.length} files`,
    ...[...counts].map(([name, count]) => `${name} ${count}`),
    `duration_ms ${ms}`,
  ];
}

/** The name and the new content of the file of durations: files that failed keep what they had. */
export function keepDurations(outcomes) {
  const all = measured();
  for (const { unit, files, isFailed } of outcomes)
    if (!isFailed) for (const [file, { seconds }] of files) all[unit.suite][file] = Math.round(seconds * 10) / 10;
  const sorted = (suite) => Object.fromEntries(Object.entries(suite).sort(([a], [b]) => (a < b ? -1 : 1)));
  return [DURATIONS, `${JSON.stringify({ quick: sorted(all.quick), long: sorted(all.long) }, null, 2)}\n`];
}
