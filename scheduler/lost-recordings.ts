/** Recordings of lost Devices become whole from what is of them in the bucket of ONAIR_MEDIA. */
import { isUnsettled } from '../domain/rules/media/recording-objects.ts';
import type { SchedulerDeps, SchedulerTask } from './task.ts';

/** A Device counts as lost after minutes; a Recording of hours takes some to be put together. */
const LOOK_MS = 60_000;

export class LostRecordings implements SchedulerTask {
  private readonly deps: SchedulerDeps;
  private readonly ending = new AbortController();
  /** Recordings that could not be made whole; the log has named them. */
  private readonly failing = new Set<number>();
  private cancel: () => void = () => undefined;

  constructor(deps: SchedulerDeps) {
    this.deps = deps;
  }

  begin(): Promise<void> {
    void this.look();
    return Promise.resolve();
  }

  end(): void {
    this.ending.abort();
    this.cancel();
  }

  private async look(): Promise<void> {
    const { store, log, control, clock } = this.deps;
    const { signal } = this.ending;
    try {
      for (const row of (await store.find('recordings', {})).rows) {
        if (signal.aborted) return;
        if (isUnsettled(row)) await this.recover(row.id, () => control.recordings.recover(row, signal));
      }
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'Recordings of lost Devices could not be looked through.');
    }
    if (!signal.aborted) this.cancel = clock.after(LOOK_MS, () => void this.look());
  }

  private async recover(id: number, task: () => Promise<boolean>): Promise<void> {
    try {
      await task();
      this.failing.delete(id);
    } catch (error) {
      if (this.ending.signal.aborted || this.failing.has(id)) return;
      this.failing.add(id);
      this.deps.log.warn({ err: error, recordingId: id }, 'A Recording of a lost Device could not be made whole yet.');
    }
  }
}
