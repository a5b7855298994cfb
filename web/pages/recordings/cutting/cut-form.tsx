/** The marks as numbers, name and way of the next clip, and the button that cuts. */
import type { RefObject } from 'preact';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { words } from '../words.ts';
import { CutChoices, type Track } from './cut-choices.tsx';
import { CutPieces } from './cut-pieces.tsx';
import type { Editor } from './editor.ts';
import { flawIn, lastSeconds, spanOf } from './marks.ts';
import { timeCode } from './time-code.ts';

interface CutFormProps {
  editor: Editor;
  /** Length of the Recording in seconds, as far as it is known. */
  length: number;
  tracks: readonly Track[];
  /** Still written: there is no picture to mark by. */
  isWritten: boolean;
  onMark: ((edge: 'in' | 'out') => void) | undefined;
  /** Puts the piece between the marks behind those that were added. */
  onAdd: () => void;
  onCut: () => void;
  formRef: RefObject<HTMLFormElement | null>;
}

export function CutForm({ editor, length, tracks, isWritten, onMark, onAdd, onCut, formRef }: CutFormProps) {
  const w = words.value;
  const marks = editor.marks.value;
  const span = spanOf(marks);
  const flaw = editor.isTried.value ? flawIn(marks, isWritten ? undefined : length) : undefined;
  const errorAt = (field: 'in' | 'out'): string | undefined => (flaw?.field === field ? w[flaw.kind] : undefined);
  return (
    <form
      ref={formRef}
      class="cut-form"
      onSubmit={(event) => {
        event.preventDefault();
        onCut();
      }}
    >
      <div class="cut-row">
        <TimeField
          label={w.inField}
          value={marks.in}
          error={errorAt('in')}
          onValue={(text) => editor.set({ ...marks, in: text })}
        />
        <TimeField
          label={w.outField}
          value={marks.out}
          error={errorAt('out')}
          onValue={(text) => editor.set({ ...marks, out: text })}
        />
        <p class="cut-length">
          <span class="soft">{w.length}</span> {span === undefined ? '–' : timeCode(span.out - span.in)}
        </p>
        {onMark !== undefined && (
          <div class="cut-marks">
            <Button keyHint="I" onPress={() => onMark('in')}>
              {w.markIn}
            </Button>
            <Button keyHint="O" onPress={() => onMark('out')}>
              {w.markOut}
            </Button>
          </div>
        )}
        {isWritten && (
          <div class="cut-marks">
            {[15, 30, 60].map((seconds) => (
              <Button key={seconds} onPress={() => editor.set(lastSeconds(length, seconds))}>
                {w.last(seconds)}
              </Button>
            ))}
          </div>
        )}
        <div class="cut-marks">
          <Button icon="plus" onPress={onAdd}>
            {w.addPiece}
          </Button>
        </div>
      </div>
      <CutPieces editor={editor} />
      <TextField
        label={w.clipName}
        description={w.clipNameHint}
        value={editor.name.value}
        onValue={(text) => (editor.name.value = text)}
      />
      <CutChoices editor={editor} tracks={tracks} />
      <Button kind="main" icon="scissors" keyHint="Enter" submits>
        {w.cut}
      </Button>
    </form>
  );
}

interface TimeFieldProps {
  label: string;
  value: string;
  error: string | undefined;
  onValue: (text: string) => void;
}

function TimeField({ label, value, error, onValue }: TimeFieldProps) {
  return (
    <div class="cut-time">
      <TextField label={label} value={value} error={error} inputMode="decimal" onValue={onValue} />
    </div>
  );
}
