// Loaded into a server beside its program: it notes how late the event loop comes to a timer of 10 ms. On SIGUSR2 it writes the times since
// the last one to stderr, as a count for each whole millisecond, and begins anew.
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
process.on('SIGUSR2', () => {
  process.stderr.write(`event loop ${JSON.stringify([...counts])}\n`);
  counts = new Map();
});
