/** The planned actions of one stream, and a new one. */
import { useSignal } from '@preact/signals';
import { can } from '../../../api/can.ts';
import { sendOrder } from '../../../api/commands.ts';
import { useList } from '../../../api/reads.ts';
import type { BodyOf } from '../../../api/operation-types.ts';
import { serverNow } from '../../../live/clock.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { shownZone } from '../../../shown-zone.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, TextField } from '../../../ui/field.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { instantsOf, wallTimeOf } from '../../../zone.ts';
import { memoryOf } from '../acts/memory.ts';
import { busyWords, follow, orderOf } from '../acts/orders.ts';
import { words } from '../words.ts';

type Plan = BodyOf<'addLivestreamAction'>;

const TYPES = ['blackout', 'logo', 'text', 'metadata', 'stop'] as const;
type PlannedType = (typeof TYPES)[number];

export function NextTab({ status }: { status: LivestreamStatus }) {
  const { livestreamId } = status;
  const { rows, error } = useList('getAllPlannedActions', {
    params: { livestreamId, status: 'pending' },
    sort: 'execute_at',
  });
  const w = words.value;
  return (
    <>
      <ProblemAlert problem={error} />
      {rows.length === 0 && <p class="soft">{w.solo.nothingPlanned}</p>}
      <ul class="plain">
        {rows.map(({ id, type, execute_at }) => (
          <li key={id}>
            <Time at={execute_at} /> {w.next.actions[type]}
          </li>
        ))}
      </ul>
      {can('addLivestreamAction') && <PlanForm id={livestreamId} />}
    </>
  );
}

/** The act takes what its key would take now. */
function payloadOf(id: number, type: PlannedType): NonNullable<Plan['payload']> {
  const { blackout, logo, text, cueSeconds } = memoryOf(id);
  switch (type) {
    case 'blackout':
      return blackout.mode === 'File' ? { ...blackout } : { mode: blackout.mode, keepAudio: blackout.keepAudio };
    case 'logo':
      return { logo: logo ?? { filename: '' } };
    case 'text':
      return text === undefined ? { action: 'hide' } : { action: 'show', text };
    case 'metadata':
      return { type: 'CueOut', metadata: { duration: cueSeconds } };
    case 'stop':
      return {};
  }
}

const AHEAD_MS = 300_000;

function PlanForm({ id }: { id: number }) {
  const type = useSignal<PlannedType>('blackout');
  const when = useSignal(fieldOf(serverNow() + AHEAD_MS));
  const w = words.value;
  const order = orderOf(id, 'plan').value?.order;
  const state = order?.state.value;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const [instant] = instantsIn(when.value);
    if (instant === undefined) return;
    const body = { type: type.value, payload: payloadOf(id, type.value), execute_at: new Date(instant).toISOString() };
    const sent = sendOrder({ operation: 'addLivestreamAction', params: { livestreamId: id }, body });
    follow({ livestreamId: id, control: 'plan', words: w.acts.going.plan, order: sent });
  };
  return (
    <form class="bar plan" aria-label={w.solo.plan} onSubmit={submit}>
      {state?.kind === 'failed' && <ProblemAlert problem={state.error} onRetry={() => order?.retry()} />}
      <Field label={w.solo.what}>
        {(control) => (
          <select
            {...control}
            value={type.value}
            onChange={({ currentTarget }) => (type.value = currentTarget.value as PlannedType)}
          >
            {TYPES.map((each) => (
              <option key={each} value={each}>
                {w.next.actions[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        label={`${w.solo.when} (${shownZone.value})`}
        type="datetime-local"
        value={when.value}
        onValue={(value) => (when.value = value)}
      />
      <Button submits busy={busyWords(id, 'plan', w.acts.unconfirmed)}>
        {w.solo.add}
      </Button>
    </form>
  );
}

function fieldOf(instant: number): string {
  const { year, month, day, hour, minute } = wallTimeOf(instant, shownZone.peek());
  const pad = (part: number): string => String(part).padStart(2, '0');
  return `${year}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}`;
}

function instantsIn(field: string): number[] {
  const match = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+)/u.exec(field);
  if (match === null) return [];
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = match.slice(1).map(Number);
  return instantsOf({ year, month, day, hour, minute, second: 0 }, shownZone.peek());
}
