/** Acknowledges an event from its row; that it is known shows once the log says so. */
import { signal } from '@preact/signals';
import { sendOrder } from '../../api/commands.ts';
import { problemLine } from '../../i18n/problem-text.ts';
import { announceFault } from '../../ui/registry/notices.ts';
import { eventOf, type Incident } from './pairs.ts';

const sending = signal<ReadonlySet<number>>(new Set());

export const isSending = ({ id }: Incident): boolean => sending.value.has(id);

export function acknowledge(incident: Incident): void {
  sending.value = new Set([...sending.peek(), incident.id]);
  const order = sendOrder({ operation: 'acknowledgeEvent', params: { eventId: eventOf(incident) }, body: {} });
  const end = order.state.subscribe((state) => {
    if (state.kind === 'failed') announceFault(problemLine(state.error));
    if (state.kind !== 'failed' && state.kind !== 'answered') return;
    sending.value = new Set([...sending.peek()].filter((id) => id !== incident.id));
    queueMicrotask(() => end());
  });
}
