/**
 * Keeps the push process of this Device as its orders say: it runs while there is something to listen for, a new agent adopts it, and one
 * that has died is started again at once. Encoders stay connected to it whatever happens to the agent.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync } from 'node:fs';
import type { TlsFiles } from '../delivery/tls-pair.ts';
import type { DeviceMessage } from '../../domain/ports/device-link.ts';
import type { IngestEvent, IngestReport } from '../../domain/shapes/sources/ingest.ts';
import type { IngestOrder } from '../../domain/shapes/sources/ingest-order.ts';
import { jsonOf } from '../../domain/base/json.ts';
import type { Log } from '../../domain/base/log.ts';
import { readJson, writeJson } from '../atomic-file.ts';
import { openLogFile } from '../log-file.ts';
import { bootId, identify, isAlive, isStopped, killExact, signalAndWait, type ProcessId } from '../process.ts';
import { pushFiles, type PushFiles, type PushOrders, type PushRecord } from '../push/push-paths.ts';
import { selfCommand } from '../self-command.ts';
import { callSocket, followLines } from '../socket-http.ts';

/** The process sends something every second. */
const SILENCE_MS = 4000;
const CALL_MS = 3000;
/** A process that has just been started answers after some 300 ms. */
const AGAIN_MS = 50;
/** One that ends sooner would end again: it is started anew after a pause. */
const HEALTHY_MS = 2000;
const PAUSE_MS = 1000;
/** It sends its pushers away and closes its ports within some ms. */
const END_MS = 1500;
const MAX_EVENTS = 500;

export interface PushWatcher {
  onIngests(ingests: IngestReport[]): void;
  onEvent(event: IngestEvent): void;
}

export class PushSupervisor {
  private readonly deviceDir: string;
  private readonly host: string;
  private readonly log: Log;
  private readonly tls: TlsFiles | undefined;
  private readonly files: PushFiles;
  private readonly watchers = new Set<PushWatcher>();
  private orders: readonly IngestOrder[] = [];
  private queue: Promise<void> = Promise.resolve();
  private child: ProcessId | undefined;
  private startedAt = 0;
  private quickEnds = 0;
  private leaveWatch: (() => void) | undefined;
  private again: NodeJS.Timeout | undefined;
  private isOver = false;
  /** The last state of all listeners. */
  reports: IngestReport[] = [];
  /** The last events, oldest first. */
  events: IngestEvent[] = [];

  constructor(deviceDir: string, host: string, log: Log, tls?: TlsFiles) {
    this.deviceDir = deviceDir;
    this.host = host;
    this.log = log;
    this.tls = tls;
    this.files = pushFiles(deviceDir);
  }

  /** Goes on with the orders of the last agent, and with its process where that lives. */
  adopt(): void {
    this.orders = (readJson(this.files.orders) as Partial<PushOrders> | undefined)?.orders ?? [];
    if (this.orders.length > 0) this.keep();
  }

  /** Resolves when the listeners are as ordered, or will be as soon as the process has started. Rejects with the error of the filesystem. */
  set(orders: readonly IngestOrder[]): Promise<void> {
    const task = this.queue.then(() => this.apply(orders));
    // The caller gets the error; the next orders are carried out all the same.
    this.queue = task.catch(() => undefined);
    return task;
  }

  watch(watcher: PushWatcher): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Ends the process: every pusher is sent away. */
  async stop(): Promise<void> {
    this.leave();
    await this.endProcess();
  }

  /** Ends the supervision; the process goes on. */
  leave(): void {
    this.isOver = true;
    this.unfollow();
  }

  private async apply(orders: readonly IngestOrder[]): Promise<void> {
    mkdirSync(this.files.dir, { recursive: true, mode: 0o700 });
    await writeJson(this.files.orders, this.wanted(orders));
    this.orders = orders;
    if (orders.length === 0) {
      this.unfollow();
      await this.endProcess();
      this.setReports([]);
    } else if (this.leaveWatch === undefined) this.keep();
    else if (this.isTooOld) await this.endProcess();
    else await this.send();
  }

  private wanted(orders: readonly IngestOrder[]): PushOrders {
    return { host: this.host, orders, tls: this.tls };
  }

  /** A process of an earlier version would listen without TLS: another one takes its place, to which its encoders connect again. */
  private get isTooOld(): boolean {
    const record = readJson(this.files.record) as PushRecord | undefined;
    const isLiving = record !== undefined && record.pid === this.living()?.pid;
    return isLiving && record.takesTls !== true && this.orders.some(({ settings }) => settings.tls === true);
  }

  private async send(): Promise<void> {
    const call = {
      socket: this.files.control,
      method: 'PUT',
      path: '/orders',
      body: this.wanted(this.orders),
      timeoutMs: CALL_MS,
    } as const;
    await callSocket(call).catch((error: unknown) => {
      // A process that starts reads the file; one that has just been connected to gets its orders then.
      this.log.warn({ err: error }, 'The push process did not take its orders; it gets them when it answers.');
    });
  }

  /** Follows the process that lives, or starts one. */
  private keep(): void {
    clearTimeout(this.again);
    if (this.isOver || this.orders.length === 0) return;
    const living = this.living();
    if (living !== undefined && this.isTooOld) return void this.endProcess().then(() => this.keep());
    if (living !== undefined) return this.follow();
    const livedMs = performance.now() - this.startedAt;
    this.quickEnds = livedMs < HEALTHY_MS ? this.quickEnds + 1 : 0;
    if (this.quickEnds > 0 && livedMs < PAUSE_MS) {
      this.again = setTimeout(() => this.keep(), PAUSE_MS - livedMs);
      return;
    }
    this.start();
    this.follow();
  }

  private living(): ProcessId | undefined {
    const record = readJson(this.files.record) as PushRecord | undefined;
    const known = record?.bootId === bootId() ? [this.child, record] : [this.child];
    return known.find((one) => one !== undefined && isAlive(one.pid, one.startTicks));
  }

  private start(): void {
    mkdirSync(this.files.dir, { recursive: true, mode: 0o700 });
    const output = openLogFile(this.files.log);
    this.startedAt = performance.now();
    try {
      const [command, args] = selfCommand('push', this.deviceDir);
      const child = spawn(command, args, { detached: true, stdio: ['ignore', output, output] });
      child.once('error', (error) => this.log.error({ err: error }, 'The push process could not be started.'));
      child.once('exit', () => this.onEnd());
      child.unref();
      this.child = child.pid === undefined ? undefined : identify(child.pid);
    } finally {
      closeSync(output);
    }
  }

  private follow(): void {
    this.unfollow();
    this.leaveWatch = followLines({
      socket: this.files.control,
      path: '/watch',
      silenceMs: SILENCE_MS,
      // A process that was adopted may have missed orders, or listen where the last agent wanted it to.
      onOpen: () => void this.send(),
      onLine: (line) => this.take(jsonOf(line) as DeviceMessage | undefined),
      onClose: () => {
        this.leaveWatch = undefined;
        this.onEnd();
      },
    });
  }

  private unfollow(): void {
    clearTimeout(this.again);
    this.leaveWatch?.();
    this.leaveWatch = undefined;
  }

  /** The process has ended, or does not answer. */
  private onEnd(): void {
    const living = this.living();
    // A stopped process never goes on by itself; a busy machine stops none.
    if (living !== undefined && isStopped(living.pid)) killExact(living.pid, living.startTicks, 'SIGKILL');
    clearTimeout(this.again);
    if (!this.isOver) this.again = setTimeout(() => this.keep(), AGAIN_MS);
  }

  private async endProcess(): Promise<void> {
    const living = this.living();
    if (living === undefined) return;
    const left = await signalAndWait([living], 'SIGTERM', END_MS);
    await signalAndWait(left, 'SIGKILL', END_MS);
  }

  private take(message: DeviceMessage | undefined): void {
    if (message?.type === 'ingests') this.setReports(message.ingests);
    if (message?.type !== 'ingest_event') return;
    const { event } = message;
    // The process gives all that it holds to each watch.
    if (this.events.some(({ epoch, seq }) => epoch === event.epoch && seq === event.seq)) return;
    this.events = [...this.events.slice(1 - MAX_EVENTS), event];
    for (const watcher of this.watchers) watcher.onEvent(event);
  }

  private setReports(reports: IngestReport[]): void {
    this.reports = reports;
    for (const watcher of this.watchers) watcher.onIngests(reports);
  }
}
