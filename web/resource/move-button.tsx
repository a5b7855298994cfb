/** "Move": takes a broadcast on air to another Device, and says what has come of it. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { can } from '../api/can.ts';
import { newKey } from '../api/client.ts';
import type { ProblemError } from '../api/problems.ts';
import { useList } from '../api/reads.ts';
import { save } from '../api/saves.ts';
import { formWords } from '../i18n/form-words.ts';
import { words } from '../i18n/words.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { RadioGroup } from '../ui/radio-group.tsx';

interface MoveProps {
  livestreamId: number;
  name: string;
  /** The Device that it is on. */
  deviceId: number;
}

export function MoveButton(props: MoveProps) {
  const isOpen = useSignal(false);
  const f = formWords.value;
  if (!can('moveLivestream')) return null;
  return (
    <>
      <Button kind="quiet" label={f.moveOf(props.name)} onPress={() => (isOpen.value = true)}>
        {f.move}
      </Button>
      {isOpen.value && <MoveDialog {...props} onClose={() => (isOpen.value = false)} />}
    </>
  );
}

const ANY = 'any';

function MoveDialog({ livestreamId, name, deviceId, onClose }: MoveProps & { onClose: () => void }) {
  const to = useSignal<string>(ANY);
  const isBusy = useSignal(false);
  const problem = useSignal<ProblemError | undefined>(undefined);
  const done = useSignal<string | undefined>(undefined);
  const attempt = useSignal(1);
  const idempotencyKey = useMemo(newKey, [attempt.value]);
  const { rows } = useList('getAllDevices', { sort: 'name' });
  const f = formWords.value;
  const others = rows.filter(({ id, online, enabled }) => id !== deviceId && online && enabled);
  const nameOf = (id: number | null): string => rows.find((row) => row.id === id)?.name ?? '';
  const move = async (): Promise<void> => {
    isBusy.value = true;
    problem.value = undefined;
    const body = to.value === ANY ? {} : { deviceId: Number(to.value) };
    const outcome = await save({ operation: 'moveLivestream', params: { livestreamId }, body, idempotencyKey });
    isBusy.value = false;
    attempt.value += 1;
    if (outcome.kind === 'refused') problem.value = outcome.error;
    else if (outcome.kind === 'saved') done.value = f.moved(name, nameOf(outcome.data.deviceId), outcome.data.gap_ms);
  };
  const options = others.map((row) => ({ value: String(row.id), label: row.name }));
  return (
    <Dialog title={f.moveOf(name)} description={f.moveEffect} onClose={onClose}>
      <ProblemAlert problem={problem.value} />
      {done.value === undefined && (
        <RadioGroup
          label={f.moveTo}
          look="list"
          options={[{ value: ANY, label: f.moveAny }, ...options]}
          value={to.value}
          onValue={(value) => (to.value = value)}
        />
      )}
      <p role="status">{done.value}</p>
      <div class="dialog-foot">
        <Button onPress={onClose}>{words.value.ui.close}</Button>
        {done.value === undefined && (
          <Button kind="main" busy={isBusy.value ? f.moving : undefined} onPress={() => void move()}>
            {f.moveOf(name)}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
