/** The words over the picture. */
import { useSignal } from '@preact/signals';
import type { LivestreamStatus } from '../../../../live/status.ts';
import { serverNow } from '../../../../live/clock.ts';
import { shownZone } from '../../../../shown-zone.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Field, TextField } from '../../../../ui/field.tsx';
import { wallTimeOf } from '../../../../zone.ts';
import { words } from '../../words.ts';
import { memoryOf } from '../memory.ts';
import { showText, type Position } from '../runtime.ts';
import { StaleNote } from './stale-note.tsx';

const POSITIONS = [
  'Top-Left',
  'Top',
  'Top-Right',
  'Left',
  'Center',
  'Right',
  'Bottom-Left',
  'Bottom',
  'Bottom-Right',
] as const satisfies readonly Position[];

export function PositionField({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  const w = words.value.dialogs;
  return (
    <Field label={w.position}>
      {(control) => (
        <select {...control} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          {POSITIONS.map((position) => (
            <option key={position} value={position}>
              {w.positions[position]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The words as a viewer reads them at this instant; the chronometer begins when they are shown. */
function previewOf(text: string, now: number, zone: string): string {
  const { year, month, day, hour, minute, second } = wallTimeOf(now, zone);
  const pad = (part: number): string => String(part).padStart(2, '0');
  const parts: Record<string, string> = {
    Y: String(year),
    m: pad(month),
    d: pad(day),
    H: pad(hour),
    M: pad(minute),
    S: pad(second),
    C: '00:00:00',
  };
  return text.replace(/%([YmdHMSC])/gu, (_all, token: string) => parts[token] ?? '');
}

export function TextForm({ status, onDone }: { status: LivestreamStatus; onDone?: () => void }) {
  const { livestreamId: id, runtime } = status;
  const text = useSignal(runtime.text ?? memoryOf(id).text ?? '');
  const position = useSignal<Position>('Bottom');
  const w = words.value.dialogs;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (text.value.trim() === '') return;
    showText(id, { action: 'show', text: text.value, position: position.value });
    onDone?.();
  };
  return (
    <form onSubmit={submit}>
      <StaleNote />
      <TextField
        label={w.words}
        value={text.value}
        onValue={(value) => (text.value = value)}
        description={w.tokens}
        required
      />
      {text.value.includes('%') && (
        <p class="text-preview">
          <span class="soft">{w.preview}</span> {previewOf(text.value, serverNow(), shownZone.value)}
        </p>
      )}
      <PositionField value={position.value} onValue={(value) => (position.value = value as Position)} />
      <footer class="dialog-foot">
        <Button kind="main" submits>
          {w.show}
        </Button>
      </footer>
    </form>
  );
}

export function TextDialog({ status, onClose }: { status: LivestreamStatus; onClose: () => void }) {
  return (
    <Dialog title={words.value.dialogs.text(status.name)} onClose={onClose}>
      <TextForm status={status} onDone={onClose} />
    </Dialog>
  );
}
