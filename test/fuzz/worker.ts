/** Runs in a thread of its own: one that never comes back, or takes all memory, is ended from outside. */
import { readFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { mutated, randomOf } from './mutation.ts';
import { MAX_BYTES, type FuzzTarget } from './target.ts';

export interface Work {
  corpus: readonly Uint8Array[];
  words: readonly Uint8Array[];
  branches: number;
  seed: number;
  /** The number of new inputs. */
  inputs: number;
  /** Holds the input that is tried: its number, its length, its bytes. */
  current: SharedArrayBuffer;
}

export interface Outcome {
  executions: number;
  /** Branches that some input took. */
  covered: number;
  /** Inputs that reached something new, the corpus first: a corpus for the next time. */
  kept: Uint8Array[];
  finding?: { reason: string; input: Uint8Array };
}

/** Bytes before the input in `Work.current`. */
export const HEAD_BYTES = 8;
/** CPU time of one input of up to 64 KiB, the counters included: a parser that takes longer is not linear. */
const SLOW_MS = 250;
/** Buffers that one input may make its parser allocate. */
const MAX_ALLOCATED = 128 << 20;
/** Attempts to shorten what was found. */
const MAX_SHORTENED = 2_000;

export function serve(target: FuzzTarget): void {
  const work = workerData as Work;
  void search(target, work).then((outcome) => parentPort!.postMessage(outcome));
}

async function search(target: FuzzTarget, work: Work): Promise<Outcome> {
  const counters = (globalThis as unknown as { __counters: Uint8Array }).__counters.subarray(0, work.branches);
  const seen = new Uint8Array(work.branches);
  const words = work.words.map((word) => Buffer.from(word));
  const random = randomOf(work.seed);
  const attempt = attemptIn(work.current, target);
  const kept: Buffer[] = [];
  let executions = 0;
  let covered = 0;
  const outcome = (): Outcome => ({ executions, covered, kept });

  /** Why the input is a finding. */
  const faultOf = async (input: Buffer): Promise<string | undefined> => {
    counters.fill(0);
    executions += 1;
    const reason = await attempt(input);
    let isNew = false;
    for (let i = 0; i < counters.length; i += 1) {
      const bucket = bucketOf(counters[i]!);
      if ((seen[i]! & bucket) === bucket) continue;
      if (seen[i] === 0) covered += 1;
      seen[i]! |= bucket;
      isNew = true;
    }
    if (isNew) kept.push(input);
    return reason;
  };

  const known = [Buffer.alloc(0), ...target.seeds, ...work.corpus.map((bytes) => Buffer.from(bytes))];
  for (const input of known) {
    const reason = await faultOf(input);
    if (reason !== undefined) return { ...outcome(), finding: { reason, input } };
  }
  for (let left = work.inputs; left > 0; left -= 1) {
    // Those found last have been changed least.
    const from = random(2) === 0 ? 0 : Math.floor(kept.length * 0.8);
    const parent = kept[from + random(kept.length - from)]!;
    const input = mutated(parent, kept[random(kept.length)]!, words, random);
    const reason = await faultOf(input);
    if (reason !== undefined)
      return { ...outcome(), finding: { reason, input: await minimised(input, reason, attempt) } };
    // Messages and timers of the thread have their turn.
    if (executions % 4096 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return outcome();
}

/** CPU that this thread has taken, so that other work of the machine does not count. */
function threadMs(): number {
  // Nanoseconds come first.
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
}

/** Runs one input: why it is a finding, or undefined. */
function attemptIn(shared: SharedArrayBuffer, target: FuzzTarget): (input: Buffer) => Promise<string | undefined> {
  const head = new Int32Array(shared, 0, 2);
  const place = new Uint8Array(shared, HEAD_BYTES);
  const once = async (input: Buffer): Promise<number> => {
    const begun = threadMs();
    // The target has its own copy: it may write to what it is given.
    const running = target.run(Buffer.from(input));
    if (running !== undefined) await running;
    return threadMs() - begun;
  };
  return async (input) => {
    place.set(input.subarray(0, MAX_BYTES));
    Atomics.store(head, 1, Math.min(input.length, MAX_BYTES));
    Atomics.add(head, 0, 1);
    const before = getHeapStatistics().external_memory;
    try {
      let took = await once(input);
      const allocated = getHeapStatistics().external_memory - before;
      if (allocated > MAX_ALLOCATED) return `It allocates ${Math.round(allocated / 2 ** 20)} MiB.`;
      // The best of several: the first may have had code to compile, or memory to clear.
      for (let again = 0; again < 4 && took > SLOW_MS; again += 1) took = Math.min(took, await once(input));
      return took > SLOW_MS ? `It takes more than ${SLOW_MS} ms of CPU.` : undefined;
    } catch (error) {
      return error instanceof Error ? (error.stack ?? String(error)) : String(error);
    }
  };
}

/** Shrinks an input until nothing more can be taken away without the finding becoming another one. */
async function minimised(
  input: Buffer,
  reason: string,
  attempt: (input: Buffer) => Promise<string | undefined>,
): Promise<Buffer> {
  const kind = kindOf(reason);
  let left = MAX_SHORTENED;
  let smallest = input;
  for (let size = Math.ceil(input.length / 2); size >= 1 && left > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < smallest.length && left > 0; left -= 1) {
      const shorter = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      const found = await attempt(shorter);
      if (found !== undefined && kindOf(found) === kind) smallest = shorter;
      else at += size;
    }
  }
  return smallest;
}

/** The place where it was thrown; numbers in the text may change with the input. */
function kindOf(reason: string): string {
  const [text, ...frames] = reason.split('\n');
  return frames.find((line) => line.trim().startsWith('at ')) ?? text!.replaceAll(/\d+/gu, '0');
}

/** How often a branch was taken, roughly: 1, 2, 3, 4–7, 8–15, 16–31, 32–127, more. */
function bucketOf(count: number): number {
  if (count < 4) return count === 0 ? 0 : 1 << (count - 1);
  if (count < 32) return count < 8 ? 8 : count < 16 ? 16 : 32;
  return count < 128 ? 64 : 128;
}
