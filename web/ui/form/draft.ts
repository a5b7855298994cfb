/** A form that is open: its values, what has changed, the server's findings. */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { errorTexts, placeErrors, pathsOf, type Finding, type Placed } from './errors.ts';
import type { Field, Values } from './field.ts';
import { bodyOf, initialValues, isSame, withValue } from './values.ts';

export interface Draft {
  readonly fields: readonly Field[];
  /** The row as it is stored: it says which secrets are set. */
  readonly row: Values | undefined;
  readonly values: Signal<Values>;
  readonly errors: ReadonlySignal<Readonly<Record<string, string>>>;
  readonly isDirty: ReadonlySignal<boolean>;
  set(path: string, value: unknown): void;
  body(): Record<string, unknown>;
  take(findings: readonly Finding[]): Placed;
}

/** `row` is the stored row of an edit; `seed` are first values of a new one. */
export function createDraft(fields: readonly Field[], row: Values | undefined, seed: Values = {}): Draft {
  const before = initialValues(fields, row);
  const values = signal<Values>(row === undefined ? seeded(before, seed) : before);
  const start = values.peek();
  const found = signal<Placed['at']>({});
  return {
    fields,
    row,
    values,
    errors: computed(() => errorTexts(found.value)),
    isDirty: computed(() => !isSame(values.value, start)),
    set(path, value) {
      values.value = withValue(values.peek(), path, value) as Values;
      const { [path]: _mended, ...others } = found.peek();
      found.value = others;
    },
    body: () => bodyOf(fields, values.peek(), row === undefined ? undefined : before),
    take(findings) {
      const placed = placeErrors(findings, pathsOf(fields, values.peek()));
      found.value = placed.at;
      return placed;
    },
  };
}

/** A value that the seed does not name keeps its first value. */
function seeded(values: Values, seed: Values): Values {
  const isGroup = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const merged: Record<string, unknown> = { ...values };
  for (const [name, value] of Object.entries(seed))
    merged[name] = isGroup(value) && isGroup(values[name]) ? seeded(values[name], value) : value;
  return merged;
}
