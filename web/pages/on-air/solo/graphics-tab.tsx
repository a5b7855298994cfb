/** Logo, text, and what a blackout shows. */
import { useSignal } from '@preact/signals';
import { useList } from '../../../api/reads.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { Field } from '../../../ui/field.tsx';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { LogoForm } from '../acts/dialogs/logo-dialog.tsx';
import { memoryOf } from '../acts/memory.ts';
import { TextForm } from '../acts/dialogs/text-dialog.tsx';
import { words } from '../words.ts';

export function GraphicsTab({ status }: { status: LivestreamStatus }) {
  const w = words.value;
  return (
    <div class="graphics">
      <section>
        <h3>{w.acts.text}</h3>
        <TextForm status={status} />
      </section>
      <section>
        <h3>{w.acts.logo}</h3>
        <LogoForm status={status} />
      </section>
      <section>
        <h3>{w.acts.blackout}</h3>
        <BlackoutChoices id={status.livestreamId} />
      </section>
    </div>
  );
}

/** The key B puts this on the air next time. */
function BlackoutChoices({ id }: { id: number }) {
  const memory = memoryOf(id);
  const choice = useSignal(memory.blackout);
  const { rows } = useList('listAssets', { params: { fileType: 'files' }, sort: 'filename' });
  const w = words.value.solo;
  const change = (part: Partial<typeof memory.blackout>): void => {
    choice.value = { ...choice.value, ...part };
    memory.blackout = choice.value;
  };
  const { mode, filename, keepAudio } = choice.value;
  return (
    <>
      <RadioGroup
        label={w.blackoutMode}
        look="list"
        value={mode}
        options={(['Black Frame', 'File'] as const).map((value) => ({ value, label: w.modes[value] }))}
        onValue={(value) => change({ mode: value, filename: filename || (rows[0]?.filename ?? '') })}
      />
      {mode === 'File' && (
        <Field label={w.file}>
          {(control) => (
            <select
              {...control}
              value={filename}
              onChange={({ currentTarget }) => change({ filename: currentTarget.value })}
            >
              {rows.map((row) => (
                <option key={row.filename} value={row.filename}>
                  {row.filename}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={keepAudio}
          onChange={({ currentTarget }) => change({ keepAudio: currentTarget.checked })}
        />
        {w.keepSound}
      </label>
    </>
  );
}
