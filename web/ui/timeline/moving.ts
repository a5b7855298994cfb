/** What is being moved in a time line, until it is committed or taken back. */
import { signal } from '@preact/signals';
import { dragged, GRID_MS, type Part } from './drag.ts';
import type { Span } from './layers.ts';

export interface Draft extends Span {
  /** undefined: it is a new one. */
  key: string | undefined;
  rowId: number;
  /** A point in time: it has no length. */
  isMark?: boolean;
}

export interface Moving {
  draft: { readonly value: Draft | undefined };
  /** From this instant on, the pointer or a key moves the part. */
  drag(at: Draft, part: Part, fromMs: number, toMs: number, isFine: boolean): void;
  step(at: Draft, part: 'whole' | 'end', by: -1 | 1): void;
  commit(): void;
  back(): void;
  /** Words about what it overlaps. */
  warning(draft: Draft): string | undefined;
}

export function createMoving(onCommit: (draft: Draft) => void, warning: (draft: Draft) => string | undefined): Moving {
  const draft = signal<Draft | undefined>(undefined);
  return {
    draft,
    drag(at, part, fromMs, toMs, isFine) {
      draft.value = { ...at, ...dragged(part, at, fromMs, toMs, isFine) };
    },
    step(at, part, by) {
      if (at.isMark === true && part === 'end') return;
      const present = draft.peek()?.key === at.key ? draft.peek()! : at;
      const endMs = present.endMs + by * GRID_MS;
      if (part === 'whole') draft.value = { ...present, startMs: present.startMs + by * GRID_MS, endMs };
      else if (endMs > present.startMs) draft.value = { ...present, endMs };
    },
    commit() {
      const done = draft.peek();
      draft.value = undefined;
      if (done !== undefined) onCommit(done);
    },
    back() {
      draft.value = undefined;
    },
    warning,
  };
}
