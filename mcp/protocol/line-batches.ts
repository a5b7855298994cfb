/** Batches that came as one line: their answers go out together, as an array on one line (MCP 2025-03-26, JSON-RPC 2.0 §6). */
import type { RequestId } from '../rpc.ts';

interface Batch {
  /** Requests without an answer yet. */
  waiting: Set<RequestId>;
  lines: string[];
}

export interface LineBatches {
  open(ids: readonly RequestId[]): void;
  /** Answers the line to write for an answer: itself, or its whole batch; undefined while others of its batch are awaited. */
  answered(id: RequestId, line: string): string | undefined;
  /** Answers the line to write when a cancelled request was the last that its batch waited for. */
  cancelled(id: RequestId): string | undefined;
}

export function createLineBatches(): LineBatches {
  const batches = new Map<RequestId, Batch>();
  const close = (id: RequestId, batch: Batch): string | undefined => {
    batches.delete(id);
    batch.waiting.delete(id);
    return batch.waiting.size > 0 || batch.lines.length === 0 ? undefined : `[${batch.lines.join(',')}]`;
  };
  return {
    open(ids) {
      const batch = { waiting: new Set(ids), lines: [] };
      for (const id of ids) batches.set(id, batch);
    },
    answered(id, line) {
      const batch = batches.get(id);
      if (batch === undefined) return line;
      batch.lines.push(line);
      return close(id, batch);
    },
    cancelled(id) {
      const batch = batches.get(id);
      return batch && close(id, batch);
    },
  };
}
