/** Empties a Device before work on it, and takes it into use again. */
import { useSignal } from '@preact/signals';
import { can } from '../../api/can.ts';
import type { DataOf } from '../../api/operation-types.ts';
import type { ProblemError } from '../../api/problems.ts';
import { save } from '../../api/saves.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import type { Device } from './live.tsx';
import { words } from './words.ts';
import { ServerText } from '../../ui/show/server-text.tsx';

type Drained = DataOf<'drainDevice'>;

export function Drain({ row }: { row: Device }) {
  const isOpen = useSignal(false);
  const isBusy = useSignal(false);
  const problem = useSignal<ProblemError | undefined>(undefined);
  const answer = useSignal<Drained | undefined>(undefined);
  const w = words.value;
  if (!can('drainDevice')) return null;
  const params = { deviceId: row.id };
  const order = async (): Promise<void> => {
    isBusy.value = true;
    const outcome =
      row.drain === null
        ? await save({ operation: 'drainDevice', params, body: {} })
        : await save({ operation: 'undrainDevice', params });
    isBusy.value = false;
    problem.value = outcome.kind === 'refused' ? outcome.error : undefined;
    if (outcome.kind !== 'saved') return;
    isOpen.value = false;
    answer.value = 'staying' in outcome.data ? outcome.data : undefined;
  };
  const isDrained = row.drain !== null;
  return (
    <section>
      {row.drain !== null && <p>{row.drain === 'under_way' ? w.draining : w.drained}</p>}
      <Staying answer={isDrained ? answer.value : undefined} />
      <Button onPress={() => (isOpen.value = true)}>{isDrained ? w.undrain : w.drain}</Button>
      {isOpen.value && (
        <ConfirmDialog
          title={isDrained ? w.undrainOf(row.name) : w.drainOf(row.name)}
          effect={isDrained ? w.undrainEffect : w.drainEffect}
          button={isDrained ? w.undrainOf(row.name) : w.drainOf(row.name)}
          busy={isBusy.value ? w.ordering : undefined}
          onCancel={() => (isOpen.value = false)}
          onConfirm={() => void order()}
          problem={<ProblemAlert problem={problem.value} />}
        />
      )}
    </section>
  );
}

function Staying({ answer }: { answer: Drained | undefined }) {
  if (answer === undefined || answer.staying.length === 0) return null;
  return (
    <>
      <p>{words.value.staying}</p>
      <ul>
        {answer.staying.map(({ livestreamId, name, message }) => (
          <li key={livestreamId}>
            {name}: <ServerText text={message} />
          </li>
        ))}
      </ul>
    </>
  );
}
