/**
 * The stream that a control plane follows: NDJSON of DeviceMessage. Memory is bounded whatever the reader does: of reports only
 * the newest waits, events wait in their file and are read when there is room.
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { DeviceMessage } from '../../domain/device-link.ts';
import type { HeldRecording } from '../../domain/recording.ts';
import { eventBytes, readEvents } from './runs/event-file.ts';
import type { Fleet } from './runs/fleet.ts';
import type { Recordings } from './recordings/recordings.ts';
import { isFinal } from './runs/own-reports.ts';
import type { RunSupervisor } from './runs/supervisor.ts';

/** The reader takes the agent for dead after some missing ones (device/link/index.ts). */
export const HEARTBEAT_MS = 1000;
/** How late an event may be that no report comes with. A look is one stat(2) a run. */
const LOOK_MS = 250;

interface RunInStream {
  run: RunSupervisor;
  /** Bytes of the run's event file that the reader has. */
  position: number;
  reportDue: boolean;
  /** An ended run's file does not grow: read to its end once more, then never again. */
  settled: boolean;
}

export function streamWatch(fleet: Fleet, recordings: Recordings, out: ServerResponse): void {
  const runs = new Map<string, RunInStream>();
  const gone: string[] = [];
  const changed: HeldRecording[] = [];
  let pumping = false;
  let again = false;
  let over = false;
  let quiet = true;

  const write = async (message: DeviceMessage): Promise<void> => {
    quiet = false;
    if (over || out.write(`${JSON.stringify(message)}\n`)) return;
    await new Promise<void>((resolve) => {
      const resume = (): void => {
        out.off('drain', resume).off('close', resume);
        resolve();
      };
      out.once('drain', resume).once('close', resume);
    });
  };

  const writeEvents = async (entry: RunInStream): Promise<void> => {
    while (!over && (await eventBytes(entry.run.files.events)) > entry.position) {
      const { events, position } = await readEvents(entry.run.files.events, entry.position);
      if (position === entry.position) return;
      entry.position = position;
      for (const event of events) await write({ type: 'event', event });
    }
  };

  const writeRun = async (entry: RunInStream): Promise<void> => {
    if (entry.settled) return;
    const report = entry.run.report;
    const last = isFinal(report);
    const due = entry.reportDue;
    entry.reportDue = false;
    // The last report comes after the last event: who has it has everything, and may forget the run.
    if (due && !last) await write({ type: 'report', report });
    await writeEvents(entry);
    if (due && last) await write({ type: 'report', report });
    entry.settled = last;
  };

  const pump = async (): Promise<void> => {
    if (pumping) {
      again = true;
      return;
    }
    pumping = true;
    do {
      again = false;
      for (const entry of [...runs.values()]) if (!over) await writeRun(entry);
      // Behind the events of their runs: what they are part of is known then.
      for (const recording of changed.splice(0)) await write({ type: 'recording', recording });
      for (const runId of gone.splice(0)) await write({ type: 'gone', runId });
    } while (again && !over);
    pumping = false;
  };
  const look = (): void => {
    pump().catch(() => out.destroy());
  };

  const add = (run: RunSupervisor): void => {
    const entry = runs.get(run.spec.runId);
    if (entry?.run === run) Object.assign(entry, { reportDue: true, settled: false });
    else runs.set(run.spec.runId, { run, position: 0, reportDue: true, settled: false });
    look();
  };
  const leave = fleet.watch({
    onReport: add,
    onGone: (runId) => {
      runs.delete(runId);
      gone.push(runId);
      look();
    },
    flush: async () => {
      while (!over && (pumping || [...runs.values()].some((entry) => entry.reportDue))) {
        look();
        await delay(10);
      }
    },
  });
  const leaveRecordings = recordings.watch((recording) => {
    changed.push(recording);
    look();
  });
  const timers = [
    setInterval(look, LOOK_MS),
    setInterval(() => {
      if (quiet && !out.writableNeedDrain) out.write('\n');
      quiet = true;
    }, HEARTBEAT_MS),
  ];
  out.once('close', () => {
    over = true;
    leave();
    leaveRecordings();
    timers.forEach(clearInterval);
  });
  out.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  out.flushHeaders();
  for (const run of fleet.runs) add(run);
}

/** Heartbeats alone, for who only wants to know that the agent lives. */
export function streamAlive(out: ServerResponse): void {
  const timer = setInterval(() => {
    if (!out.writableNeedDrain) out.write('\n');
  }, HEARTBEAT_MS);
  out.once('close', () => clearInterval(timer));
  out.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  out.write('\n');
}
