/** The words of an order's button while it is under way, and the refusal of the order. */
import type { OrderOf } from '../../api/order.ts';
import { isStale, heardAt } from '../../live/streams.ts';
import { shownZone } from '../../shown-zone.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { clockText } from '../../zone.ts';
import { words } from './words.ts';

/** undefined where none is under way. */
export function busyWords(order: OrderOf<unknown> | undefined, sent: string): string | undefined {
  const kind = order?.state.value.kind;
  if (kind === 'unconfirmed') return words.value.notConfirmed;
  return kind === 'sent' ? sent : undefined;
}

export function OrderProblem({ order }: { order: OrderOf<unknown> | undefined }) {
  const state = order?.state.value;
  if (order === undefined || state?.kind !== 'failed') return null;
  // Sending again what the server has judged would end the same way.
  const isOpen = state.error.status === 0 || state.error.status >= 500;
  return <ProblemAlert problem={state.error} {...(isOpen && { onRetry: order.retry })} />;
}

/** A confirmation on old figures says how old they are. */
export function AsOf() {
  if (!isStale.value) return null;
  return <strong>{words.value.asOf(clockText(heardAt.value, shownZone.value))}</strong>;
}
