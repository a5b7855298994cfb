/** The planned actions of one stream, and a new one. */
import { useSignal } from '@preact/signals';
import { can } from '../../../api/can.ts';
import { useList } from '../../../api/reads.ts';
import { serverNow } from '../../../live/clock.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { NewAction } from '../../../resource/planned-action/action-dialogs.tsx';
import { actionText } from '../../../resource/planned-action/action-text.ts';
import { timesOf } from '../../../resource/planned-action/times.ts';
import { words as plannedWords } from '../../../resource/planned-action/words.ts';
import { Button } from '../../../ui/button.tsx';
import type { Values } from '../../../ui/form/field.ts';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { memoryOf } from '../acts/memory.ts';
import { words } from '../words.ts';

const AHEAD_MS = 300_000;

export function NextTab({ status }: { status: LivestreamStatus }) {
  const { livestreamId, name } = status;
  const seed = useSignal<Values | undefined>(undefined);
  const { rows, error } = useList('getAllPlannedActions', {
    params: { livestreamId, status: 'pending' },
    sort: 'execute_at',
  });
  const w = words.value;
  const close = (): void => {
    seed.value = undefined;
  };
  return (
    <>
      <ProblemAlert problem={error} />
      {rows.length === 0 && <p class="soft">{w.solo.nothingPlanned}</p>}
      <ul class="plain">
        {timesOf(rows).map((row) => (
          <li key={row.key}>
            <Time at={row.execute_at} /> {actionText(row, plannedWords.value)}
          </li>
        ))}
      </ul>
      {can('addLivestreamAction') && (
        <Button icon="plus" onPress={() => (seed.value = seedOf(livestreamId))}>
          {w.solo.plan}
        </Button>
      )}
      {seed.value !== undefined && (
        <NewAction livestreamId={livestreamId} stream={name} seed={seed.value} onSaved={close} onClose={close} />
      )}
    </>
  );
}

/** An act is offered as its key would do it now. */
function seedOf(id: number): Values {
  const { blackout, logo, text, cueSeconds } = memoryOf(id);
  return {
    type: 'blackout',
    execute_at: new Date(Math.ceil((serverNow() + AHEAD_MS) / 60_000) * 60_000).toISOString(),
    payload: {
      ...blackout,
      ...(logo !== undefined && { logo }),
      action: 'show',
      text: text ?? '',
      type: 'CueOut',
      metadata: { duration: cueSeconds },
    },
  };
}
