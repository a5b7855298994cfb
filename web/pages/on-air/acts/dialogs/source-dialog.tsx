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
import { switchSource } from '../runtime.ts';
import { StaleNote } from './stale-note.tsx';

/** Files have an end, and inputs of a card have one place: the server refuses these on air. */
const FIXED: readonly string[] = ['File', 'SDI', 'AES/EBU'];
const isLive = (type: string): boolean => !FIXED.includes(type);

export function SourceForm({ status, onDone }: { status: LivestreamStatus; onDone?: () => void }) {
  const chosen = useSignal<string | undefined>(undefined);
  const { rows, error } = useList('getAllChannels', { sort: 'name', pageSize: 500 });
  const w = words.value.dialogs;
  const present = status.runtime.source ?? status.source?.channelId;
  const options = rows.map(({ id, name, type }) => ({
    value: String(id),
    label: name,
    details: id === present ? `${type} · ${w.present}` : isLive(type) ? type : `${type} · ${w.notLive}`,
    disabled: id === present || !isLive(type),
  }));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (chosen.value === undefined) return;
    switchSource(status.livestreamId, Number(chosen.value));
    onDone?.();
  };
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
      <div class="dialog-scroll">
        <RadioGroup
          label={w.sourceLabel}
          look="list"
          options={options}
          value={chosen.value}
          onValue={(value) => (chosen.value = value)}
        />
      </div>
      <footer class="dialog-foot">
        <Button kind="main" submits disabledWhy={chosen.value === undefined ? w.sourceLabel : undefined}>
          {w.switchTo(status.name)}
        </Button>
      </footer>
    </form>
  );
}

export function SourceDialog({ status, onClose }: { status: LivestreamStatus; onClose: () => void }) {
  return (
    <Dialog title={words.value.dialogs.source(status.name)} onClose={onClose}>
      <SourceForm status={status} onDone={onClose} />
    </Dialog>
  );
}
