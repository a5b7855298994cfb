/** The Channels that a broadcast can be switched to. The choice is the first press, the button the second. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useList } from '../../../../api/reads.ts';
import type { LivestreamStatus } from '../../../../live/status.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { ProblemAlert } from '../../../../ui/problem-alert.tsx';
import { RadioGroup } from '../../../../ui/radio-group.tsx';
import { words } from '../../words.ts';
import { channelNames } from '../../tile/channel-names.ts';
import { sourceBefore } from '../source-left.ts';
import { switchBack, switchSource } from '../source-switch.ts';
import { Compare } from './source-compare.tsx';
import { CandidateDetails, CandidatePicture, LookButton, lookAt, obstacleOf, type Look } from './source-candidate.tsx';
import { StaleNote } from './stale-note.tsx';

interface SourceFormProps {
  status: LivestreamStatus;
  /** Shows the programme beside what is armed; Solo has it already. */
  hasProgramme?: boolean;
  onDone?: () => void;
}

export function SourceForm({ status, hasProgramme = false, onDone }: SourceFormProps) {
  const chosen = useSignal<string | undefined>(undefined);
  const { rows, error } = useList('getAllChannels', { sort: 'name', pageSize: 500 });
  const looks = useSignal<ReadonlyMap<number, Look>>(new Map());
  const w = words.value.dialogs;
  const note = (id: number, look: Look): void => void (looks.value = new Map(looks.value).set(id, look));
  const press = async (id: number): Promise<void> => {
    note(id, { state: 'busy' });
    note(id, await lookAt(id));
  };
  const options = rows.map((channel) => {
    const { id, name, type } = channel;
    const obstacle = obstacleOf(channel, status);
    const option = { value: String(id), label: name };
    if (obstacle !== undefined) return { ...option, details: `${type} · ${obstacle}`, disabled: true };
    const parts = { channel, look: looks.value.get(id) };
    return {
      ...option,
      picture: <CandidatePicture {...parts} />,
      details: <CandidateDetails {...parts} />,
      aside: <LookButton {...parts} onLook={() => void press(id)} />,
    };
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (chosen.value === undefined) return;
    switchSource(status.livestreamId, Number(chosen.value));
    onDone?.();
  };
  const before = sourceBefore(status);
  const armedChannel = rows.find(({ id }) => String(id) === chosen.value);
  const form = useRef<HTMLFormElement>(null);
  const hasRows = rows.length > 0;
  useEffect(() => {
    // The dialog has opened before its list was there.
    const isWaiting = form.current?.closest('dialog') != null && form.current.contains(document.activeElement);
    if (hasRows && isWaiting) form.current?.querySelector<HTMLInputElement>('input:not(:disabled)')?.focus();
  }, [hasRows]);
  return (
    <form ref={form} onSubmit={submit}>
      <StaleNote />
      <ProblemAlert problem={error} />
      <Compare
        status={status}
        hasProgramme={hasProgramme}
        channel={armedChannel}
        look={armedChannel && looks.value.get(armedChannel.id)}
      />
      <div class="dialog-scroll candidates">
        <RadioGroup
          label={w.sourceLabel}
          look="list"
          options={options}
          value={chosen.value}
          onValue={(value) => (chosen.value = value)}
        />
      </div>
      <footer class="dialog-foot">
        {before !== undefined && (
          <Button
            keyHint="Shift S"
            onPress={() => {
              switchBack(status.livestreamId);
              onDone?.();
            }}
          >
            {w.backTo(channelNames.value.get(before) ?? `${before}`)}
          </Button>
        )}
        <Button kind="main" submits disabledWhy={chosen.value === undefined ? w.sourceLabel : undefined}>
          {w.switchTo(status.name)}
        </Button>
      </footer>
    </form>
  );
}

export function SourceDialog({ status, onClose }: { status: LivestreamStatus; onClose: () => void }) {
  return (
    <Dialog title={words.value.dialogs.source(status.name)} onClose={onClose} size="wide">
      <SourceForm status={status} hasProgramme onDone={onClose} />
    </Dialog>
  );
}
