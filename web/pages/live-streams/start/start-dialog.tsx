/** Starts a Live stream: where, what goes out, and what is in the way. The server's judgement is asked again whenever something changes. */
import { useSignal } from '@preact/signals';
import { call, dataIn } from '../../../api/call.ts';
import { sendOrder } from '../../../api/commands.ts';
import type { DataOf } from '../../../api/operation-types.ts';
import type { OrderOf } from '../../../api/order.ts';
import { changeCount, useQuery } from '../../../api/query.ts';
import { useOne } from '../../../api/reads.ts';
import { words as shared } from '../../../i18n/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Outline } from '../../../ui/show/outline.tsx';
import { outletsOf, rungsOf, type Parts, type StreamRow } from '../list/parts.ts';
import { AsOf, busyWords, OrderProblem } from '../order-view.tsx';
import { words } from '../words.ts';
import { goesOut, isPreset, reasonsAgainst, targetOf, type Outlet, type Reason } from './choices.ts';
import { InTheWay } from './in-the-way.tsx';
import { OutletsTable } from './outlets-table.tsx';
import { Where } from './where.tsx';
import { reasonText } from '../../../i18n/problem-text.ts';

interface StartDialogProps {
  row: StreamRow;
  parts: Parts;
  onEdit: () => void;
  onClose: () => void;
}

/** Slots of Devices change without a `changed`. */
const ASK_MS = 5000;

function useTargets(id: number) {
  return useQuery(
    ['workflows', 'get_start_targets', id, changeCount.value],
    async (signal) => {
      const { body } = await call('get_start_targets', { body: { livestream: `#${id}` }, signal });
      return dataIn(body) as DataOf<'get_start_targets'>;
    },
    { keepsPrevious: true, everyMs: ASK_MS },
  );
}

export function StartDialog({ row, parts, onEdit, onClose }: StartDialogProps) {
  const chosen = useSignal<string | undefined>(undefined);
  const changed = useSignal<readonly Outlet[] | undefined>(undefined);
  const order = useSignal<OrderOf<unknown> | undefined>(undefined);
  const w = words.value;
  const answer = useTargets(row.id);
  const config = useOne('getLivestreamStartConfig', { livestreamId: row.id });
  const source = useOne('getChannelById', { channelId: row.channelId });
  const preset = config.data?.startConfig ?? [];
  const outlets = changed.value ?? preset;
  const targets = (answer.data?.targets ?? []).filter((each) => each !== null);
  const target = targetOf(targets, chosen.value);
  const isKnown = answer.data !== undefined && config.data !== undefined;
  const against: Reason[] = reasonsAgainst(answer.data?.reasons ?? [], outlets);
  if (isKnown && against.length === 0 && target === undefined)
    against.push({ code: 'no_device', message: answer.data?.message ?? w.noPlace });
  if (isKnown && !goesOut(outlets) && !against.some(({ code }) => code === 'unbound'))
    against.push({ code: 'unbound', message: w.nothingGoesOut });
  const isReady = isKnown && against.length === 0;

  const start = (): void => {
    if (target === undefined || order.peek()?.isBusy.peek() === true) return;
    const sent: OrderOf<unknown> = isPreset(outlets, preset)
      ? sendOrder({
          operation: 'start_livestream',
          body: { livestream: `#${row.id}`, ...target.start, wait_seconds: 0 },
        })
      : sendOrder({
          operation: 'startLivestream',
          params: { livestreamId: row.id },
          body: { ...target.start, startConfig: [...outlets] },
        });
    order.value = sent;
    void sent.done.then(onClose);
  };
  return (
    <Dialog title={w.startOf(row.name)} size="wide" onClose={onClose}>
      <ProblemAlert problem={answer.error ?? config.error} />
      <OrderProblem order={order.value} />
      {!isKnown && answer.error === null && config.error === null && <Outline rows={4} />}
      {isKnown && (
        <div class="start-choices">
          <Where targets={targets} chosen={target} onChoose={(key) => (chosen.value = key)} />
          <OutletsTable
            outlets={outlets}
            known={outletsOf(parts, row)}
            rungs={rungsOf(parts, row)}
            onChange={(next) => (changed.value = next)}
          />
        </div>
      )}
      <InTheWay row={row} reasons={against} filename={source.data?.settings.filename} onEdit={onEdit} />
      <AsOf />
      <footer class="dialog-foot">
        <Button onPress={onClose}>{shared.value.ui.cancel}</Button>
        <Button
          kind="main"
          keyHint="Enter"
          autoFocus
          busy={busyWords(order.value, w.starting)}
          disabledWhy={isReady ? undefined : against.map(({ code, message }) => reasonText(code) || message).join(' ')}
          onPress={start}
        >
          {w.startOf(row.name)}
        </Button>
      </footer>
    </Dialog>
  );
}
