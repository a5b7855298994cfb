// How many specs run beside each other, and in which order.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Places of the smallest machine, which has two cores. A file with media takes two: it waits for two thirds of its time, as media takes as
 * long as it lasts. A computing file takes one of its own kind, and two of them keep both cores busy; they have a lower priority, because
 * media must be in time.
 */
export const PLACES = { media: 8, light: 2 };

const named = (folder, names) => names.map((name) => `test/${folder}/${name.includes('.') ? name : `${name}.spec`}.ts`);

/** They hold losses of pictures against a bound, or encode for longer than others: they take four places, so that no more than two run beside each other. */
export const WIDE = [
  ...named('device/agent', ['agent-life', 'on-air', 'runs']),
  ...named('device/runner', [
    'blackout',
    'captions',
    'colour',
    'machine-use',
    'compositor',
    'overload',
    'preview',
    'first-segment',
  ]),
  ...named('device/runner', ['sources-switch', 'cues-source']),
  ...named('e2e', ['come-and-go', 'destinations', 'isolation', 'on-air', 'planned-actions-start', 'survival']),
  ...named('e2e', [
    'fleet-drill',
    'members',
    'fleet-drill.long',
    'changes.long',
    'drills.long',
    'planned-actions.long',
    'recordings.long',
  ]),
];

/** They use less than a fifth of a core, because they wait for an instant or for a source that never comes: they take one place. */
export const WAITING = [
  ...named('e2e', ['set-up', 'schedules', 'conversations', 'first-password', 'refusals', 'feed', 'networks']),
  ...named('device/runner', ['pictures', 'sources-videosite']),
];

/** Of the others, the longest come first: what is left at the end is short. */
export const LONG = [
  ...WAITING,
  ...named('e2e', ['failing-starts']),
  ...named('contract', ['operations', 'properties']),
  ...named('mcp', ['hostile', 'memory', 'conformance', 'search', 'forward', 'flood']),
  ...named('assets', ['clips']),
  ...named('device/runner', ['packagers', 'sources-shapes', 'sources', 'sources-options', 'sound', 'source-form']),
  ...named('e2e', ['idempotency']),
  ...named('device/runner', ['cues', 'colour-tags', 'encrypted', 'sources-rtmp', 'sources-faults', 'restart']),
  ...named('store', ['crash', 'lock', 'recovery']),
  ...named('fuzz', ['fuzz']),
];

/** Whether a file has encoders of its own: those of all runs on the machine share its places. */
export function isMedia(file) {
  return /^test\/(assets|device|e2e)\//u.test(file);
}

/** The places that a file takes; it is named by its path from the root of the project. */
export function placesOf(file) {
  if (!isMedia(file) || WAITING.includes(file)) return 1;
  return WIDE.includes(file) ? 4 : 2;
}

/** Hooks of a file that count for all tests of its process; and helpers that start programs. */
const OWN_PROCESS = /^(?:before|after|beforeEach|afterEach)\(|helpers\/(?:service|program)\.ts/mu;

/**
 * The units that a run starts, each a process, in their order: short files of a folder are one unit, because the start of a process takes
 * longer than most of them.
 */
export function unitsOf(files) {
  const folders = new Map();
  for (const file of files) {
    const isShort = !isMedia(file) && !LONG.includes(file) && !OWN_PROCESS.test(readFileSync(file, 'utf8'));
    const name = isShort ? dirname(file) : file;
    folders.set(name, [...(folders.get(name) ?? []), file]);
  }
  const units = [...folders].map(([name, members]) => ({ name, files: members }));
  // Those that take most places would otherwise wait until few are left, and the machine would idle beside each of them.
  const rankOf = ({ name }) => (WIDE.includes(name) ? -1 : LONG.includes(name) ? LONG.indexOf(name) : LONG.length);
  return units.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Places of the machine, whoever runs tests on it; resolves with what gives them back. */
export async function takePlaces(count, signal) {
  // Who waits for several is not passed by those who want one.
  const turn = await take(['\0onair-tests-next'], signal);
  const names = Array.from({ length: PLACES.media }, (_, at) => `\0onair-tests-place-${at}`);
  const taken = [];
  while (taken.length < count && !signal.aborted) taken.push(await take(names, signal));
  turn?.close();
  return () => taken.forEach((lock) => lock?.close());
}

/** One of the abstract sockets: the kernel lets go of it when its holder ends, however that comes about. */
async function take(names, signal) {
  while (!signal.aborted) {
    for (const name of names) {
      const lock = await hold(name);
      if (lock !== undefined) return lock;
    }
    await sleep(100);
  }
  return undefined;
}

function hold(name) {
  return new Promise((resolve) => {
    const lock = createServer();
    lock.once('error', () => resolve(undefined));
    lock.listen(name, () => {
      lock.unref();
      resolve(lock);
    });
  });
}
