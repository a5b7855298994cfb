/** The support bundle is a zip of documents and logs that help to find a fault, without a secret of any resource. */
import { open, mkdir, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { arch, cpus, freemem, platform, release, totalmem, uptime } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { systemClock, toIso, type Clock } from '../domain/time/clock.ts';
import type { StoreHealth } from '../domain/ports/store.ts';
import type { SupportBundle, SupportFacts } from '../domain/shapes/installation/system.ts';
import { createRedactor, redactValue, type Redactor } from './redactor.ts';

export interface BundleDeps {
  dataDir: string;
  version: string;
  clock: Clock;
  settings: Readonly<Record<string, unknown>>;
  health: () => StoreHealth;
}

/** Paths below the data folder. A long log goes on in a new file; the old one has the beginning of the trouble. */
const LOGS = ['serve.log', 'serve.log.1', 'device/agent.log', 'device/agent.log.1'];
/** Some 10 000 lines of each log: an evening of trouble, and the zip still goes by mail. */
const TAIL_BYTES = 2 * 1024 * 1024;
const STALE_MS = 3_600_000;
const NAME = /^onair-info-[\dTZ-]+\.zip$/u;

export async function writeSupportBundle(
  deps: BundleDeps,
  facts: SupportFacts,
  signal: AbortSignal,
): Promise<SupportBundle> {
  const dir = supportDir(deps);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await sweep(dir);
  const redact = createRedactor(facts.secrets);
  const entries = [...(await documents(deps, facts, redact)), ...(await logTails(deps.dataDir, redact))];
  const { path, filename, file } = await create(dir, deps.clock.now());
  try {
    await writeZip(file, entries, new Date(deps.clock.now()), signal);
    const { size } = await stat(path);
    return {
      path,
      filename,
      size_bytes: size,
      entries: entries.map(({ name, content }) => ({ name, size_bytes: content.byteLength })),
    };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    // The bundle is read from its path and never through this handle, so an error of close loses nothing.
    await file.close().catch(() => undefined);
    keepAnHour(deps);
  }
}

/**
 * Removes, in an hour, bundles that are an hour old then. It is called at the start too: a process that was killed has forgotten its
 * bundles.
 */
export function keepAnHour(deps: Pick<BundleDeps, 'dataDir' | 'clock'>): void {
  // One second more, so that a bundle of this moment is old enough.
  // A sweep that fails is made up for by that of the next bundle, and of the next start.
  deps.clock.after(STALE_MS + 1000, () => void sweep(supportDir(deps)).catch(() => undefined));
}

function supportDir({ dataDir }: Pick<BundleDeps, 'dataDir'>): string {
  return join(dataDir, 'support');
}

interface Entry {
  name: string;
  content: Buffer;
}

async function documents(deps: BundleDeps, facts: SupportFacts, redact: Redactor): Promise<Entry[]> {
  const all: Record<string, unknown> = {
    ...facts.documents,
    'versions.json': { ...versions(deps), ...(facts.documents['versions.json'] as object | undefined) },
    'settings.json': deps.settings,
    'health.json': {
      store: deps.health(),
      free_memory_bytes: freemem(),
      uptime_seconds: Math.round(process.uptime()),
    },
  };
  const entries: Entry[] = [];
  for (const [name, value] of Object.entries(all)) {
    entries.push({ name, content: Buffer.from(`${JSON.stringify(await redactValue(value, redact), null, 2)}\n`) });
  }
  return entries;
}

function versions({ version, clock }: BundleDeps): object {
  return {
    at: toIso(clock.now()),
    onair: version,
    node: process.versions.node,
    os: { platform: platform(), release: release(), arch: arch(), uptime_seconds: Math.round(uptime()) },
    cpus: cpus().length,
    memory_bytes: totalmem(),
  };
}

async function logTails(dataDir: string, redact: Redactor): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const name of LOGS) {
    const text = await tail(join(dataDir, name));
    if (text !== undefined) entries.push({ name: `logs/${name}`, content: Buffer.from(await redact(text)) });
  }
  return entries;
}

/**
 * The last lines of a file; undefined when there is none. A line that is cut in front is dropped, since half a secret would not be
 * recognised.
 */
async function tail(path: string): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    // A service that logs elsewhere has no such file, and the bundle is made without it.
    return undefined;
  }
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { bytesRead, buffer } = await file.read({
      buffer: Buffer.alloc(Math.min(size, TAIL_BYTES)),
      position: start,
    });
    const text = buffer.toString('utf8', 0, bytesRead);
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}

async function writeZip(file: FileHandle, entries: readonly Entry[], mtime: Date, signal: AbortSignal): Promise<void> {
  const zip = new ZipFile();
  for (const { name, content } of entries) zip.addBuffer(content, name, { mtime, mode: 0o100600 });
  zip.end();
  await pipeline(zip.outputStream, file.createWriteStream(), { signal });
}

interface Created {
  path: string;
  filename: string;
  file: FileHandle;
}

/** Two bundles of one second get two names. */
async function create(dir: string, nowMs: number): Promise<Created> {
  const stamp = toIso(nowMs).replace(/\.\d+/u, '').replace(/[-:]/gu, '');
  for (let number = 1; ; number += 1) {
    const filename = `onair-info-${stamp}${number === 1 ? '' : `-${number}`}.zip`;
    const path = join(dir, filename);
    try {
      return { path, filename, file: await open(path, 'wx', 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Removes bundles that were never streamed, or whose stream was cut off. The machine's own clock counts: it wrote the files' times. */
async function sweep(dir: string): Promise<void> {
  for (const name of (await readdir(dir)).filter((entry) => NAME.test(entry))) {
    const path = join(dir, name);
    // A bundle that goes meanwhile is as good as a new one.
    const modifiedMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? systemClock.now();
    if (systemClock.now() - modifiedMs > STALE_MS) await rm(path, { force: true });
  }
}
