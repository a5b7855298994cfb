/** Asks before a Live stream is stopped: what ends with it, and what becomes of the Schedule that has it on air. */
import { useSignal } from '@preact/signals';
import { sendOrder, type Order } from '../../../api/commands.ts';
import { StopEffectText } from '../../../stop/effect-text.tsx';
import { useStoppedElsewhere } from '../../../stop/stopped-elsewhere.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { liveStatus } from '../list/live-status.ts';
import type { StreamRow } from '../list/parts.ts';
import { AsOf, busyWords, OrderProblem } from '../order-view.tsx';
import { words } from '../words.ts';

export function StopDialog({ row, onClose }: { row: Pick<StreamRow, 'id' | 'name'>; onClose: () => void }) {
  const order = useSignal<Order<'stop_livestream'> | undefined>(undefined);
  const w = words.value;
  const livestream = `#${row.id}`;
  const { id, name } = row;
  const status = liveStatus(id)?.status;
  useStoppedElsewhere({ id, name, status, isOrdered: order.value !== undefined, onStopped: onClose });
  const stop = (): void => {
    if (order.peek()?.isBusy.peek() === true) return;
    const sent = sendOrder({ operation: 'stop_livestream', body: { livestream, wait_seconds: 0 } });
    order.value = sent;
    void sent.done.then(onClose);
  };
  return (
    <ConfirmDialog
      title={w.stopTitle(row.name)}
      effect={
        <>
          <StopEffectText id={row.id} status={liveStatus(row.id)} /> <AsOf />
        </>
      }
      button={w.stopOf(row.name)}
      busy={busyWords(order.value, w.stopping)}
      problem={<OrderProblem order={order.value} />}
      onConfirm={stop}
      onCancel={onClose}
    />
  );
}
