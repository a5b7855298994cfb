/** A wall-clock time in a Schedule's own zone; what clocks skip or repeat is told at the field. */
import { useSignal } from '@preact/signals';
import { Field } from '../../ui/field.tsx';
import { instantsIn, nextInstant, wallText } from './days.ts';
import { words } from './words.ts';

interface WallFieldProps {
  label: string;
  path: string;
  /** ISO 8601; empty while none was typed. */
  value: string;
  zone: string;
  error: string | undefined;
  onValue: (iso: string) => void;
}

export function WallField({ label, path, value, zone, error, onValue }: WallFieldProps) {
  const wasSkipped = useSignal(false);
  const w = words.value;
  const text = value === '' ? '' : wallText(Date.parse(value), zone);
  const isRepeated = text !== '' && instantsIn(text, zone)?.length === 2;
  const hint = wasSkipped.value ? w.skippedTime(zone) : isRepeated ? w.repeatedTime(zone) : w.inZone(zone);
  const take = (typed: string): void => {
    const instants = instantsIn(typed, zone);
    if (instants === undefined) return;
    wasSkipped.value = instants.length === 0;
    onValue(new Date(instants[0] ?? nextInstant(typed, zone)).toISOString());
  };
  return (
    <div data-path={path}>
      <Field label={label} description={hint} error={error}>
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            value={text}
            onChange={({ currentTarget }) => take(currentTarget.value)}
          />
        )}
      </Field>
    </div>
  );
}
