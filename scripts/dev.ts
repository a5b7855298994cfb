/**
 * `npm run dev` runs the server from the sources, and starts it again whenever one of them changes; arguments go to `onair serve`.
 * Broadcasts stay on air meanwhile, for the Device agent and its runners are processes of their own.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, watch } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ROOMS } from '../test/house/rooms.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Editors write a file in several steps, and a checkout changes many files. */
const SETTLE_MS = 200;

const say = (text: string): void => void process.stderr.write(`onair dev: ${text}\n`);

/** All folders that the server is made of, web/ among them, whose pages are read once, at its start. */
function sourceFolders(): string[] {
  const rooms = new Set([...Object.keys(ROOMS).map((room) => room.split('/')[0] ?? room), 'bin', 'web']);
  return [...rooms].flatMap((room) => {
    const inner = readdirSync(join(root, room), { recursive: true, withFileTypes: true });
    const folders = inner.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    return [join(root, room), ...folders];
  });
}

interface Sources {
  /** The first file that changes, by its path from the root. */
  changed: Promise<string>;
  close(): void;
}

/** Folders are watched, not files: many editors put a new file in the place of the old one. */
function watchSources(): Sources {
  const { promise: changed, resolve } = promiseOf<string>();
  const watchers = sourceFolders().map((folder) =>
    watch(folder, (_kind, name) => {
      const isOfEditor = name === null || /^\.|~$|^\d+$/u.test(name);
      if (!isOfEditor) resolve(relative(root, join(folder, name)));
    }),
  );
  return { changed, close: () => watchers.forEach((watcher) => watcher.close()) };
}

function promiseOf<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

/** The server has a session of its own: Ctrl-C would reach it beside our SIGTERM, and a second signal ends it without closing anything. */
function startServer(): ChildProcess {
  const entry = [join(root, 'bin', 'main.ts'), 'serve', ...process.argv.slice(2)];
  const args = ['--import', import.meta.resolve('tsx'), ...entry];
  return spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
}

/** Resolves with the path of the file that has changed, or with undefined when the program is to stop. */
async function serveUntilChange(stopped: Promise<undefined>): Promise<string | undefined> {
  const sources = watchSources();
  const server = startServer();
  const ended = once(server, 'exit');
  void ended.then(([code, signal]) => {
    if (!server.killed)
      say(`the server has ended (${String(signal ?? `exit code ${code}`)}); a change starts it again`);
  });
  const path = await Promise.race([sources.changed, stopped]);
  if (path !== undefined) await sleep(SETTLE_MS);
  sources.close();
  if (server.exitCode === null && server.signalCode === null) {
    server.kill('SIGTERM');
    await ended;
  }
  return path;
}

const stop = promiseOf<undefined>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.resolve(undefined));
say('the server runs from the sources and starts again when one changes; broadcasts stay on air. Ctrl-C ends it.');
for (let path = await serveUntilChange(stop.promise); path !== undefined; path = await serveUntilChange(stop.promise))
  say(`${path} has changed; the server starts again`);
say('ended. The Device agent goes on, as after npm start; it ends with: node bin/onair.js device stop');
