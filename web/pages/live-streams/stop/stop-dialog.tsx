/** Asks before a Live stream is stopped: what ends with it, and what becomes of the Schedule that has it on air. */
import { useSignal } from '@preact/signals';
import { call, dataIn } from '../../../api/call.ts';
import { sendOrder, type Order } from '../../../api/commands.ts';
import type { DataOf } from '../../../api/operation-types.ts';
import { useQuery } from '../../../api/query.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { liveStatus } from '../list/live-status.ts';
import type { StreamRow } from '../list/parts.ts';
import { AsOf, busyWords, OrderProblem } from '../order-view.tsx';
import { words } from '../words.ts';
import { stopEffect } from './stop-effect.ts';

type Stopped = DataOf<'stop_livestream'>;

export function StopDialog({ row, onClose }: { row: Pick<StreamRow, 'id' | 'name'>; onClose: () => void }) {
  const order = useSignal<Order<'stop_livestream'> | undefined>(undefined);
  const w = words.value;
  const livestream = `#${row.id}`;
  const plan = useQuery(['schedules', 'stop_livestream', row.id], async (signal) => {
    const { body } = await call('stop_livestream', { body: { livestream, dry_run: true }, signal });
    return dataIn(body) as Stopped;
  });
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
          <Effect id={row.id} schedule={plan.data?.schedule ?? null} /> <AsOf />
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

function Effect({ id, schedule }: { id: number; schedule: Stopped['schedule'] }) {
  const status = liveStatus(id);
  const w = words.value.effects;
  if (status === undefined) return null;
  const effect = stopEffect(status);
  const next = schedule?.next_start ?? null;
  return (
    <>
      {effect.status === 1 && `${w.starting} `}
      {effect.status === 3 && `${w.failed} `}
      {effect.status === 2 && `${effect.destinations === 0 ? w.none : w.destinations(effect.destinations)} `}
      {effect.endsRecording && `${w.recording} `}
      {schedule !== null && `${schedule.cancelled ? w.once(schedule.name) : w.occurrence(schedule.name)} `}
      {next !== null && (
        <>
          {w.nextStart} <Time at={next} />.
        </>
      )}
    </>
  );
}
