/** Progress notifications of a call, for a client that asked for them. */
import { monotonicClock, type Clock } from '../../domain/time/clock.ts';
import type { McpRequest } from '../rpc.ts';
import type { ToolCall } from './session.ts';

/** Clients that receive nothing give up after a minute, some after ten seconds. */
const PROGRESS_INTERVAL_MS = 5000;

export interface ProgressReporter {
  progress: ToolCall['progress'];
  end(): void;
}

const SILENT: ProgressReporter = { progress: undefined, end: () => undefined };

/** Passes the progress of an operation on, and reports that the call still runs when the operation is silent for a while. */
export function createProgress({ params, notify }: McpRequest, clock: Clock = monotonicClock): ProgressReporter {
  const progressToken = (params['_meta'] as Record<string, unknown> | undefined)?.['progressToken'];
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return SILENT;
  const begunMs = clock.now();
  let last = -1;
  /** Progress must grow with each notification (MCP 2025-11-25, basic/utilities/progress). */
  const report = (progress: number, message: string, total?: number): void => {
    if (progress <= last) return;
    last = progress;
    notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message, ...(total !== undefined && { total }) },
    });
  };
  let cancel: () => void;
  const wait = (): void => {
    cancel = clock.after(PROGRESS_INTERVAL_MS, () => {
      const seconds = Math.round((clock.now() - begunMs) / 1000);
      report(seconds, `Still running after ${seconds} seconds.`);
      wait();
    });
  };
  wait();
  return {
    progress: (done, total, message) => {
      cancel();
      wait();
      report(done, message, total);
    },
    end: () => cancel(),
  };
}
