/** One act on several Live streams: three and more ask for their number to be typed. */
import { useSignal } from '@preact/signals';
import { call } from '../../../api/call.ts';
import { problemLine } from '../../../i18n/problem-text.ts';
import { stopEffect } from '../../../stop/stop-effect.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { liveStatus } from './live-status.ts';
import type { StreamRow } from './parts.ts';
import { AsOf } from '../order-view.tsx';
import { words } from '../words.ts';

export type ManyAct = 'start' | 'stop' | 'enable';

/** From so many on, the number is typed. */
const MANY = 3;
/** A start reserves capacity one after the other anyway. */
const AT_ONCE = 4;

interface ManyDialogProps {
  act: ManyAct;
  rows: readonly StreamRow[];
  /** Everything was done. */
  onDone: () => void;
  onClose: () => void;
}

async function send(act: ManyAct, { id }: StreamRow): Promise<void> {
  const body = { livestream: `#${id}`, wait_seconds: 0 };
  if (act === 'start') await call('start_livestream', { body });
  else if (act === 'stop') await call('stop_livestream', { body });
  else {
    const params = { livestreamId: id };
    const { etag } = await call('getLivestreamById', { params });
    await call('updateLivestream', { params, body: { enabled: true }, etag });
  }
}

export function ManyDialog({ act, rows, onDone, onClose }: ManyDialogProps) {
  const done = useSignal<number | undefined>(undefined);
  const refused = useSignal<readonly { id: number; name: string; why: string }[]>([]);
  const w = words.value.many;
  const names = rows.map(({ name }) => name).join(', ');
  const run = async (): Promise<void> => {
    // Those that were refused alone are sent again.
    const left =
      refused.peek().length === 0 ? [...rows] : rows.filter((row) => refused.peek().some(({ id }) => id === row.id));
    const failed: { id: number; name: string; why: string }[] = [];
    done.value = 0;
    const work = async (): Promise<void> => {
      for (let row = left.shift(); row !== undefined; row = left.shift()) {
        const { id, name } = row;
        await send(act, row).catch((error: unknown) => {
          failed.push({ id, name, why: problemLine(error) });
        });
        done.value = (done.peek() ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    done.value = undefined;
    refused.value = failed;
    if (failed.length === 0) onDone();
  };
  return (
    <ConfirmDialog
      title={w[`${act}Title`](rows.length)}
      effect={
        <>
          {act === 'stop' ? w.stopEffect(names, destinationsOf(rows)) : w[`${act}Effect`](names)} <AsOf />
        </>
      }
      button={w[act](rows.length)}
      count={rows.length >= MANY ? rows.length : undefined}
      busy={done.value === undefined ? undefined : w.busy(done.value, rows.length)}
      problem={
        refused.value.length > 0 && (
          <div role="alert">
            <p>{w.refused}:</p>
            <ul>
              {refused.value.map(({ id, name, why }) => (
                <li key={id}>
                  <strong>{name}</strong> {why}
                </li>
              ))}
            </ul>
          </div>
        )
      }
      onConfirm={() => void run()}
      onCancel={onClose}
    />
  );
}

function destinationsOf(rows: readonly StreamRow[]): number {
  return rows.reduce((sum, { id }) => {
    const status = liveStatus(id);
    return status === undefined ? sum : sum + stopEffect(status).destinations;
  }, 0);
}
