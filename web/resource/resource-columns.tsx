/** The columns of a resource's list, and the buttons of each row. */
import type { ComponentChildren } from 'preact';
import { can } from '../api/can.ts';
import type { ListOperation, RowOf } from '../api/operation-types.ts';
import { formWords } from '../i18n/form-words.ts';
import { Button } from '../ui/button.tsx';
import type { Column } from '../ui/table.tsx';
import type { Resource } from './resource.ts';

export type Open<R> = { kind: 'add' } | { kind: 'edit' | 'remove'; row: R };

export function columnsWith<L extends ListOperation>(
  resource: Resource<L>,
  open: { value: Open<RowOf<L>> | undefined },
  show: (row: RowOf<L>) => void,
): Column<RowOf<L>>[] {
  const f = formWords.value;
  const { nameOf, acts, drawer, update, remove } = resource;
  const cell = (row: RowOf<L>): ComponentChildren => {
    const name = nameOf(row);
    return (
      <div class="acts">
        {acts?.(row)}
        {drawer !== undefined && (
          <Button kind="quiet" label={f.openOf(name)} onPress={() => show(row)}>
            {f.open}
          </Button>
        )}
        {update !== undefined && can(update) && (
          <Button kind="quiet" label={f.editOf(name)} onPress={() => (open.value = { kind: 'edit', row })}>
            {f.edit}
          </Button>
        )}
        {remove !== undefined && can(remove) && (
          <Button kind="quiet" label={f.deleteOf(name)} onPress={() => (open.value = { kind: 'remove', row })}>
            {f.delete}
          </Button>
        )}
      </div>
    );
  };
  return [...resource.columns(), { id: 'acts', label: f.acts, align: 'end', cell }];
}
