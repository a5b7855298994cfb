/** Schedules on the test application: real operations, store and control, a Device in memory, and time that is moved by hand. */
import assert from 'node:assert/strict';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Firing } from '../../domain/shapes/schedules/schedule.ts';
import { Schedules } from '../../scheduler/schedules.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { until } from '../helpers/until.ts';
import { addBroadcast } from '../app/broadcast.ts';
import type { Row } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

export interface ScheduleApp extends TestApp {
  livestreamId: number;
  publishingId: number;
  /** ISO instant so many hours after the beginning, 2026-01-01, a Thursday. */
  at(hours: number): string;
  /** A Schedule from hour `from` to hour `to`; names are made. */
  plan(from: number, to: number, more?: object): Promise<Row>;
  /** Moves the clock to the hour, and lets everything happen that follows. */
  goTo(hours: number): Promise<void>;
  settled(): Promise<void>;
  /** The service without its scheduler, and with a new one over the same store. */
  down(): void;
  up(): Promise<void>;
  run(livestreamId?: number): Promise<Run | undefined>;
  /** The run that was ordered goes on air. */
  onAir(livestreamId?: number): Promise<void>;
  /** status of the Live stream, and whose it is. */
  status(livestreamId?: number): Promise<[number, number | null]>;
  firings(scheduleId?: number): Promise<Firing[]>;
  /** `[hour of start, state]` of each occurrence in the window. */
  occurrences(from: number, to: number, more?: object): Promise<[number, string][]>;
  events(...kinds: string[]): Promise<{ kind: string; severity: string; message: string; at: string }[]>;
}

const HOUR_MS = 3_600_000;
const STEP_MS = 10_000;
const BEGIN_MS = Date.UTC(2026, 0, 1);

export async function startScheduleApp(extra: readonly Tool[] = []): Promise<ScheduleApp> {
  const app = await startTestApp({ extraTools: extra });
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (facts: object) => assert.fail(JSON.stringify(facts)),
  };
  const parts = { store: app.store, clock: app.clock, log, control: app.control };
  let task = new Schedules(parts);
  await task.begin();
  const { livestreamId, publishingId } = await addBroadcast(app);
  let names = 0;
  const schedules: ScheduleApp = {
    ...app,
    livestreamId,
    publishingId,
    at: (hours) => new Date(BEGIN_MS + hours * HOUR_MS).toISOString(),
    async plan(from, to, more = {}) {
      names += 1;
      const times = { start: schedules.at(from), end: schedules.at(to) };
      const row = await app.data('addSchedule', { name: `Plan ${names}`, livestreamId, ...times, ...more });
      await schedules.settled();
      return row;
    },
    async goTo(hours) {
      const goalMs = Math.round(BEGIN_MS + hours * HOUR_MS);
      // In steps, because what is due is settled in turns of the event loop, and may make other things due.
      while (app.clock.now() < goalMs) {
        app.clock.advance(Math.min(STEP_MS, goalMs - app.clock.now()));
        for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      await schedules.settled();
    },
    // Each turn of a Schedule, of control and of the Device in memory is a few turns of the event loop.
    async settled() {
      for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
    down: () => task.end(),
    async up() {
      task.end();
      task = new Schedules(parts);
      await task.begin();
      await schedules.settled();
    },
    run: async (id = livestreamId) => (await app.store.get('runs', id))?.row,
    async onAir(id = livestreamId) {
      const { runId } = await until('a run', () => schedules.run(id));
      await until('the run at the Device', () => app.device.runIds.includes(runId));
      app.device.running(runId);
      await until('status 2', async () => (await schedules.run(id))?.status === 2);
      await schedules.settled();
    },
    async status(id = livestreamId) {
      const run = await schedules.run(id);
      return [run?.status ?? 0, run?.scheduleId ?? null];
    },
    firings: async (scheduleId) => (await app.store.find('firings', { where: { scheduleId } })).rows,
    async occurrences(from, to, more = {}) {
      const rows = await app.rows('getScheduleOccurrences', {
        from: schedules.at(from),
        to: schedules.at(to),
        ...more,
      });
      return rows.map(({ start, state }) => [(Date.parse(start as string) - BEGIN_MS) / HOUR_MS, state as string]);
    },
    async events(...kinds) {
      const { rows } = await app.store.find('events', {});
      return rows.filter(({ kind }) => kinds.includes(kind));
    },
    async close() {
      task.end();
      await app.close();
    },
  };
  return schedules;
}
