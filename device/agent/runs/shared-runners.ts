/**
 * Which runner carries out which of the runs that copy their source. Twenty-five such runs share a process: they decode nothing, and a process of
 * its own costs more than the work of one. A run that encodes shares none, since its frames must be on time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isCopied } from '../../../domain/shapes/encodings/copied.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { isAlive, type ProcessId } from '../../process.ts';
import { callSocket } from '../../socket-http.ts';

/** The death of a process interrupts all of its runs: they begin again within a second. */
const MAX_RUNS = 25;
/** A process that has just been started answers after 0.3–1 s, and on a machine at its limits after several times that. */
const START_MS = 15_000;
const ASK_AGAIN_MS = 20;
/** A run is taken within 50 ms; the thread of a busy process is late. */
const TAKE_MS = 5000;

interface Place {
  runner: ProcessId;
  socket: string;
}

export function sharesRunner({ renditions }: Pick<RunSpec, 'renditions'>): boolean {
  return isCopied(renditions);
}

export class SharedRunners {
  /** The keys are run ids. A run has its place from the moment at which its runner is asked. */
  private readonly places = new Map<string, Place>();

  /** The run is carried out by this process, which may take others. */
  join(runId: string, runner: ProcessId, socket: string): void {
    this.places.set(runId, { runner, socket });
  }

  leave(runId: string): void {
    this.places.delete(runId);
  }

  /** Tells whether the process carries out other runs than this one. */
  isShared(runId: string, { pid }: ProcessId): boolean {
    return [...this.places].some(([other, { runner }]) => other !== runId && runner.pid === pid);
  }

  /**
   * Resolves with the process that has taken the run: one that has room, or else what `start` answers. Nothing waits between a look for room
   * and the start, so that runs which begin at once find each other's processes.
   */
  async begin(runId: string, socket: string, start: () => ProcessId | undefined): Promise<ProcessId | undefined> {
    const unable = new Set<number>();
    for (;;) {
      const runner = this.withRoom(unable);
      if (runner === undefined) {
        const started = start();
        if (started !== undefined) this.join(runId, started, socket);
        return started;
      }
      this.join(runId, runner, socket);
      if (await this.ask(runId, runner)) return runner;
      this.leave(runId);
      unable.add(runner.pid);
    }
  }

  /** The fullest that has room: as few processes as possible are left. */
  private withRoom(unable: ReadonlySet<number>): ProcessId | undefined {
    const counts = new Map<number, { runner: ProcessId; runs: number }>();
    for (const { runner } of this.places.values()) {
      const { pid } = runner;
      counts.set(pid, { runner, runs: (counts.get(pid)?.runs ?? 0) + 1 });
    }
    return [...counts.values()]
      .filter(({ runner, runs }) => runs < MAX_RUNS && !unable.has(runner.pid))
      .filter(({ runner }) => isAlive(runner.pid, runner.startTicks))
      .sort((a, b) => b.runs - a.runs)[0]?.runner;
  }

  /** Any run of the process can be asked. One that has just begun has no socket yet, and one that has just ended has none any more. */
  private async ask(runId: string, runner: ProcessId): Promise<boolean> {
    const deadline = performance.now() + START_MS;
    while (isAlive(runner.pid, runner.startTicks) && performance.now() < deadline) {
      const others = [...this.places].filter(([other, place]) => other !== runId && place.runner.pid === runner.pid);
      if (others.length === 0) return false;
      for (const [, { socket }] of others) {
        const call = { socket, method: 'POST', path: '/take', body: { runId }, timeoutMs: TAKE_MS } as const;
        const reply = await callSocket(call).catch(() => undefined);
        if (reply !== undefined) return reply.status < 400;
      }
      await delay(ASK_AGAIN_MS);
    }
    return false;
  }
}
