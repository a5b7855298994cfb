/** A search for inputs that break a target. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ROOT } from '../house/sources.ts';
import { bundleOf, corpusFolder } from './bundle.ts';
import { MAX_BYTES } from './target.ts';
import { HEAD_BYTES, type Outcome, type Work } from './worker.ts';

export interface SearchOptions {
  /** The number of new inputs; the corpus comes before them. */
  inputs: number;
  seed: number;
  corpus?: readonly Buffer[];
  /** One input that takes longer is taken for endless. */
  hangSeconds?: number;
}

const HANG_SECONDS = 15;
const LOOK_MS = 250;
/** The memory bound of the thread: a parser of 64 KiB that needs more has no bound. */
const HEAP_MB = 256;

/** Names of all targets: a file in targets/ is one. */
export function targetNames(): string[] {
  return readdirSync(join(ROOT, 'test/fuzz/targets'))
    .map((file) => basename(file, '.ts'))
    .sort();
}

export function corpusOf(name: string): Buffer[] {
  return filesOf(name).map((file) => readFileSync(join(corpusFolder(name), file)));
}

/** The part of the corpus that no other search replaces: findings, and real media (`media-…`). */
export function lastingOf(name: string): Buffer[] {
  const files = filesOf(name).filter((file) => !file.startsWith('seed-'));
  return files.map((file) => readFileSync(join(corpusFolder(name), file)));
}

function filesOf(name: string): string[] {
  const folder = corpusFolder(name);
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** Keeps an input for all later searches; answers its path. */
export function keep(name: string, kind: 'found' | 'seed', input: Uint8Array): string {
  mkdirSync(corpusFolder(name), { recursive: true });
  const path = join(corpusFolder(name), `${kind}-${nameOf(input)}`);
  writeFileSync(path, input);
  return path;
}

/** Other seeds instead of those that are kept. */
export function replaceSeeds(name: string, seeds: readonly Uint8Array[]): void {
  for (const file of filesOf(name)) if (file.startsWith('seed-')) rmSync(join(corpusFolder(name), file));
  for (const input of seeds) keep(name, 'seed', input);
}

export function nameOf(input: Uint8Array): string {
  return createHash('sha256').update(input).digest('hex').slice(0, 12);
}

/** `file`: of the target, from the root of the project. */
export async function search(file: string, options: SearchOptions): Promise<Outcome> {
  const { inputs, seed, corpus = [], hangSeconds = HANG_SECONDS } = options;
  const { code, branches, words } = await bundleOf(file);
  const current = new SharedArrayBuffer(HEAD_BYTES + MAX_BYTES);
  const workerData: Work = { corpus, words, branches, seed, inputs, current };
  const worker = new Worker(code, {
    eval: true,
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const head = new Int32Array(current, 0, 2);
  const interrupted = (reason: string): Outcome => {
    const input = Uint8Array.from(new Uint8Array(current, HEAD_BYTES, Atomics.load(head, 1)));
    return { executions: Atomics.load(head, 0), covered: 0, kept: [], finding: { reason, input } };
  };
  let watch: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Outcome>((resolve) => {
      // Looks are counted, for a machine that runs much else looks less often too.
      let [number, looks] = [-1, 0];
      watch = setInterval(() => {
        const now = Atomics.load(head, 0);
        if (now !== number) [number, looks] = [now, 0];
        else if ((looks += 1) > (hangSeconds * 1000) / LOOK_MS)
          resolve(interrupted(`It does not end within ${hangSeconds} s.`));
      }, LOOK_MS);
      worker.once('message', resolve);
      worker.once('error', (error: Error) => resolve(interrupted(error.stack ?? String(error))));
    });
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}
