// Loaded into a server beside its program: it notes how late the event loop comes to a timer of 10 ms. On SIGUSR2 it writes the times since
// the last one to stderr, as a count for each whole millisecond, and begins anew. With PROBE_PROFILES it leaves a profile of the processor time
// in between in that folder, too.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

const EVERY_MS = 10;
let counts = new Map();
let before = performance.now();
const timer = setInterval(() => {
  const now = performance.now();
  const late = Math.max(0, Math.round(now - before - EVERY_MS));
  counts.set(late, (counts.get(late) ?? 0) + 1);
  before = now;
}, EVERY_MS);
timer.unref();

const folder = process.env['PROBE_PROFILES'];
const isServer = process.argv[2] === 'serve';
const session = folder !== undefined && isServer ? new Session() : undefined;
session?.connect();
session?.post('Profiler.enable');
session?.post('Profiler.start');
let profiles = 0;

process.on('SIGUSR2', () => {
  process.stderr.write(`event loop ${JSON.stringify([...counts])}\n`);
  counts = new Map();
  session?.post('Profiler.stop', (_, { profile }) => {
    profiles += 1;
    writeFileSync(join(folder, `server-${process.pid}-${profiles}.cpuprofile`), JSON.stringify(profile));
    session.post('Profiler.start');
  });
});
