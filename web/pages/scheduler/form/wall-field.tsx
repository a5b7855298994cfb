/** A time as the clock of the Schedule's zone shows it; one that DST skips or repeats is told at the field. */
import { useSignal } from '@preact/signals';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import type { FieldView } from '../../../ui/form/form-context.ts';
import { useForm } from '../../../ui/form/form-context.ts';
import { zoneName } from '../../../zone.ts';
import { readWall, wallText } from './wall.ts';
import { words } from '../words.ts';

export function WallField({ label, error, isOptional, value, onValue }: FieldView) {
  const { zone } = useForm();
  // What is half typed stays as it is: a year of one digit is no other year.
  const typed = useSignal<{ text: string; value: string } | undefined>(undefined);
  const stored = typeof value === 'string' ? value : '';
  const shown = typed.value?.value === stored ? typed.value.text : wallText(stored, zone);
  const instants = readWall(shown, zone);
  const w = words.value;
  const take = (text: string): void => {
    const [first] = readWall(text, zone) ?? [];
    // A time that is skipped is sent as it is typed, and the server says what is wrong with it.
    const next = first === undefined ? text : new Date(first).toISOString();
    typed.value = { text, value: next };
    onValue(next);
  };
  const isTwice = instants !== undefined && instants.length > 1;
  const meant = Date.parse(stored);
  const takeOther = (): void => {
    const other = instants?.find((instant) => instant !== meant);
    if (other === undefined) return;
    const next = new Date(other).toISOString();
    typed.value = { text: shown, value: next };
    onValue(next);
  };
  return (
    <>
      <TextField
        label={label}
        isOptional={isOptional}
        type="datetime-local"
        value={shown}
        onValue={take}
        description={isTwice ? `${zone} · ${w.twice(zone, zoneName(meant, zone))}` : zone}
        error={instants?.length === 0 ? w.notThere(zone) : error}
      />
      {isTwice && <Button onPress={takeOther}>{w.takeOther}</Button>}
    </>
  );
}
