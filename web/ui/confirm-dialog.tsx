/** Asks before an act that cannot be undone: it names the effect, Cancel has focus, and the button says verb and name. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { words } from '../i18n/words.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';

interface ConfirmDialogProps {
  /** A question: `Stop Sunday service?` */
  title: string;
  /** The effect, read as the description. */
  effect: ComponentChildren;
  /** Verb and name: `Stop Sunday service`. */
  button: string;
  onConfirm: () => void;
  onCancel: () => void;
  /** So many things at once have to be typed as a number. */
  count?: number | undefined;
  /** The words of the order under way; the dialog stays until the answer. */
  busy?: string | undefined;
  /** A refusal (ProblemAlert). */
  problem?: ComponentChildren;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, effect, button, onConfirm, onCancel, count, busy, problem } = props;
  const typed = useSignal('');
  const w = words.value.ui;
  const isMissing = count !== undefined && typed.value.trim() !== String(count);
  return (
    <Dialog title={title} description={effect} onClose={onCancel}>
      {problem}
      {count !== undefined && (
        <TextField
          label={w.typeNumber(count)}
          inputMode="numeric"
          value={typed.value}
          onValue={(value) => (typed.value = value)}
        />
      )}
      <div class="dialog-foot">
        <Button autoFocus onPress={onCancel}>
          {w.cancel}
        </Button>
        <Button kind="danger" busy={busy} disabledWhy={isMissing ? w.typeNumber(count) : undefined} onPress={onConfirm}>
          {button}
        </Button>
      </div>
    </Dialog>
  );
}
