/** How far a call is, for a client that asked to be told. */
import type { ToolCall } from './call.ts';
import type { Asked } from './connection.ts';

/** Clients that hear nothing give up after a minute, some after ten seconds. */
const PROGRESS_INTERVAL_MS = 5000;

export interface Teller {
  progress: ToolCall['progress'];
  end(): void;
}

const SILENT: Teller = { progress: undefined, end: () => undefined };

/** What an operation says of its progress is passed on; when it says nothing for a while, that it still runs. */
export function createTeller({ params, notify }: Asked): Teller {
  const progressToken = (params['_meta'] as Record<string, unknown> | undefined)?.['progressToken'];
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return SILENT;
  const begunMs = performance.now();
  let last = -1;
  /** Progress must grow with each notification (MCP 2025-11-25, basic/utilities/progress). */
  const tell = (progress: number, message: string, total?: number): void => {
    if (progress <= last) return;
    last = progress;
    notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message, ...(total !== undefined && { total }) },
    });
  };
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begunMs) / 1000);
    tell(seconds, `Still running after ${seconds} seconds.`);
  }, PROGRESS_INTERVAL_MS);
  return {
    progress: (done, total, message) => {
      timer.refresh();
      tell(done, message, total);
    },
    end: () => clearInterval(timer),
  };
}
