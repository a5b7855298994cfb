/**
 * The stream that a control plane follows: NDJSON of DeviceMessage. Memory is bounded whatever the reader does: only the newest report
 * of a run waits, and events wait in their file until there is room.
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { DeviceMessage } from '../../domain/ports/device-link.ts';
import { KnownReports, type ChangedReport } from '../../domain/reported/report-changes.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { IngestEvent, IngestReport } from '../../domain/shapes/sources/ingest.ts';
import type { DeviceStorage } from '../../domain/shapes/devices/device-storage.ts';
import type { HeldRecording } from '../../domain/shapes/media/recording.ts';
import { systemClock, toIso } from '../../domain/time/clock.ts';
import { ASK_EVERY_MS } from '../../domain/time/lease.ts';
import { eventBytes, readEvents } from './runs/event-file.ts';
import type { Fleet } from './runs/fleet.ts';
import type { Recordings } from './recordings/recordings.ts';
import { isFinal } from './runs/own-reports.ts';
import type { PushSupervisor } from './push-supervisor.ts';
import type { RunSupervisor } from './runs/supervisor.ts';
import type { StorageWatch } from './storage/storage-watch.ts';

/** The reader takes the agent for dead when several are missing (device/link/agent-link.ts). */
const HEARTBEAT_MS = 1000;
/** Bounds how late an event is that comes without a report. A look costs one stat(2) a run, and is left out while none is on air. */
const LOOK_MS = 250;
const HEADERS = { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' };

interface RunInStream {
  run: RunSupervisor;
  /** Bytes of the run's event file that the reader has. */
  position: number;
  reportDue: boolean;
  /** The file may have grown. */
  lookDue: boolean;
  /** The file of an ended run does not grow: it is read to its end once more, then never again. */
  settled: boolean;
}

/** A reader that takes so long for one message gets all that are held when it watches anew. */
const MAX_WAITING_EVENTS = 1000;

/** The parts of the agent that report. */
export interface Watched {
  fleet: Fleet;
  recordings: Recordings;
  push: PushSupervisor;
  disks: StorageWatch;
}

/** With `byChanges` a report is whole the first time, and its changed fields after that; servers of earlier versions take whole ones alone. */
export function streamWatch(watched: Watched, out: ServerResponse, byChanges: boolean): void {
  new WatchStream(out, byChanges).follow(watched);
}

class WatchStream {
  private readonly out: ServerResponse;
  private readonly runs = new Map<string, RunInStream>();
  private readonly goneRunIds: string[] = [];
  private readonly changedRecordings: HeldRecording[] = [];
  private readonly ingestEvents: IngestEvent[] = [];
  private ingests: IngestReport[] | undefined;
  private storage: DeviceStorage[] | undefined;
  private isPumping = false;
  private isPumpDue = false;
  private isOver = false;
  private isQuiet = true;
  private looking: NodeJS.Timeout | undefined;
  /** The reports that the reader has; undefined: it takes whole ones alone. */
  private readonly known: KnownReports | undefined;

  constructor(out: ServerResponse, byChanges: boolean) {
    this.out = out;
    this.known = byChanges ? new KnownReports() : undefined;
  }

  follow({ fleet, recordings, push, disks }: Watched): void {
    const unwatchRuns = fleet.watch({
      onReport: (run) => this.add(run),
      onGone: (runId) => {
        this.runs.delete(runId);
        this.goneRunIds.push(runId);
        this.look();
      },
      flush: () => this.flush(),
    });
    const unwatchRecordings = recordings.watch((recording) => {
      this.changedRecordings.push(recording);
      this.look();
    });
    const unwatchPush = push.watch({
      onIngests: (ingests) => {
        this.ingests = ingests;
        this.look();
      },
      onEvent: (event) => {
        this.ingestEvents.push(event);
        if (this.ingestEvents.length > MAX_WAITING_EVENTS) this.out.destroy();
        this.look();
      },
    });
    const unwatchDisks = disks.watch((storage) => {
      this.storage = storage;
      this.look();
    });
    this.storage = disks.storage;
    this.ingests = push.reports;
    this.ingestEvents.push(...push.events);
    const heartbeat = setInterval(() => this.sendHeartbeatIfQuiet(), HEARTBEAT_MS);
    const asking = setInterval(() => this.askForLeases(fleet), ASK_EVERY_MS);
    this.out.once('close', () => {
      this.isOver = true;
      unwatchRuns();
      unwatchRecordings();
      unwatchPush();
      unwatchDisks();
      clearInterval(heartbeat);
      clearInterval(asking);
      clearInterval(this.looking);
    });
    this.out.writeHead(200, HEADERS);
    this.out.flushHeaders();
    for (const run of fleet.runs) this.add(run);
    this.askForLeases(fleet);
  }

  private add(run: RunSupervisor): void {
    const entry = this.runs.get(run.spec.runId);
    if (entry?.run === run) Object.assign(entry, { reportDue: true, lookDue: true, settled: false });
    else this.runs.set(run.spec.runId, { run, position: 0, reportDue: true, lookDue: true, settled: false });
    this.looking ??= setInterval(() => this.lookAgain(), LOOK_MS);
    this.look();
  }

  private lookAgain(): void {
    const open = [...this.runs.values()].filter(({ settled }) => !settled);
    for (const entry of open) entry.lookDue = true;
    if (!this.isOver && open.length > 0) return this.look();
    clearInterval(this.looking);
    this.looking = undefined;
  }

  private async flush(): Promise<void> {
    while (!this.isOver && (this.isPumping || [...this.runs.values()].some((entry) => entry.reportDue))) {
      this.look();
      await delay(10);
    }
  }

  private look(): void {
    // The reader sees the end of its connection, and watches anew.
    this.pump().catch(() => this.out.destroy());
  }

  private async pump(): Promise<void> {
    if (this.isPumping) {
      this.isPumpDue = true;
      return;
    }
    this.isPumping = true;
    do {
      this.isPumpDue = false;
      for (const entry of [...this.runs.values()]) if (!this.isOver) await this.writeRun(entry);
      // A Recording follows the events of its run: the reader knows by then what it is part of.
      for (const recording of this.changedRecordings.splice(0)) await this.write({ type: 'recording', recording });
      const { ingests, storage } = this;
      this.ingests = undefined;
      this.storage = undefined;
      if (ingests !== undefined) await this.write({ type: 'ingests', ingests });
      if (storage !== undefined) await this.write({ type: 'storage', storage, at: toIso(systemClock.now()) });
      for (const event of this.ingestEvents.splice(0)) await this.write({ type: 'ingest_event', event });
      for (const runId of this.goneRunIds.splice(0)) {
        this.known?.take({ type: 'gone', runId });
        await this.write({ type: 'gone', runId });
      }
    } while (this.isPumpDue && !this.isOver);
    this.isPumping = false;
  }

  private async writeRun(entry: RunInStream): Promise<void> {
    if (entry.settled || !entry.lookDue) return;
    const report = entry.run.report;
    const isLast = isFinal(report);
    const isDue = entry.reportDue;
    Object.assign(entry, { reportDue: false, lookDue: false });
    // The last report comes after the last event: a reader that has it has everything, and may forget the run.
    if (isDue && !isLast) await this.writeReport(report);
    await this.writeEvents(entry);
    if (isDue && isLast) await this.writeReport(report);
    entry.settled = isLast;
  }

  private writeReport(report: RunReport): Promise<void> {
    return this.write(this.known?.next(report) ?? { type: 'report', report });
  }

  private async writeEvents(entry: RunInStream): Promise<void> {
    const path = entry.run.files.events;
    while (!this.isOver && eventBytes(path) > entry.position) {
      const { events, position } = await readEvents(path, entry.position);
      if (position === entry.position) return;
      entry.position = position;
      for (const event of events) await this.write({ type: 'event', event });
    }
  }

  /** Resolves when the reader has room for the next message. */
  private async write(message: DeviceMessage | ChangedReport): Promise<void> {
    this.isQuiet = false;
    const { out } = this;
    if (this.isOver || out.write(`${JSON.stringify(message)}\n`)) return;
    await new Promise<void>((resolve) => {
      const resume = (): void => {
        out.off('drain', resume).off('close', resume);
        resolve();
      };
      out.once('drain', resume).once('close', resume);
    });
  }

  /** A server that follows, and has runs here that need one, answers. A reader that takes nothing is asked nothing. */
  private askForLeases(fleet: Fleet): void {
    if (this.isOver || this.out.writableNeedDrain) return;
    this.isQuiet = false;
    const message: DeviceMessage = { type: 'lease', asked_ms: fleet.ask() };
    this.out.write(`${JSON.stringify(message)}\n`);
  }

  private sendHeartbeatIfQuiet(): void {
    if (this.isQuiet) sendHeartbeat(this.out);
    this.isQuiet = true;
  }
}

/** Heartbeats alone, for a follower that only wants to know that the agent lives. */
export function streamAlive(out: ServerResponse): void {
  const timer = setInterval(() => sendHeartbeat(out), HEARTBEAT_MS);
  out.once('close', () => clearInterval(timer));
  out.writeHead(200, HEADERS);
  out.write('\n');
}

function sendHeartbeat(out: ServerResponse): void {
  if (!out.writableNeedDrain) out.write('\n');
}
