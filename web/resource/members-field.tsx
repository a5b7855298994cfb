/** The members of a group, chosen by name and put in order by buttons, or by dragging. */
import type { ComponentChildren } from 'preact';
import type { ListOperation, RowOf } from '../api/operation-types.ts';
import { useList } from '../api/reads.ts';
import { formWords } from '../i18n/form-words.ts';
import { Button } from '../ui/button.tsx';
import { Combobox, type Option } from '../ui/combobox/combobox.tsx';
import { useForm, type FieldView } from '../ui/form/form-context.ts';
import { moveItem } from '../ui/form/move-item.ts';

interface Member {
  id: number;
  name: string;
}

export interface MembersOptions<R> {
  list: ListOperation;
  /** Shown beside the name. */
  details?: (row: R) => ComponentChildren;
  /** Tells why a row cannot stand beside the first member. */
  refusal?: (row: R, first: R | undefined) => string | undefined;
  /** Stands below the members. */
  foot?: (rows: readonly R[]) => ComponentChildren;
}

/** A group of more has no place in any list of the server. */
const MAX_ROWS = 500;

export function MembersField<R extends Member>({ view, of }: { view: FieldView; of: MembersOptions<R> }) {
  const { path, label, description, error, value, onValue } = view;
  const { draft } = useForm();
  const { rows } = useList(of.list, { pageSize: MAX_ROWS, sort: 'name' as never });
  const known = new Map(
    (rows as readonly RowOf<ListOperation>[] as unknown as readonly R[]).map((row) => [row.id, row]),
  );
  const ids = (value ?? []) as readonly number[];
  const members = ids.flatMap((id) => known.get(id) ?? []);
  const f = formWords.value;
  const ask = (typed: string): Option<number>[] =>
    [...known.values()]
      .filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
      .map((row) => {
        const why = ids.includes(row.id) ? f.isMember : of.refusal?.(row, members[0]);
        return { value: row.id, label: row.name, ...(why !== undefined && { details: why, disabled: true }) };
      });
  return (
    <fieldset class="form-group members">
      <legend>{label}</legend>
      {description !== undefined && <p class="field-text">{description}</p>}
      {error !== undefined && <p class="field-error">{error}</p>}
      <ol aria-label={label}>
        {ids.map((id, index) => (
          <MemberItem
            key={id}
            name={known.get(id)?.name ?? String(id)}
            path={`${path}.${index}`}
            error={draft.errors.value[`${path}.${index}`]}
            index={index}
            count={ids.length}
            onMove={(from, to) => onValue(moveItem(ids, from, to))}
            onRemove={() => onValue(ids.filter((each) => each !== id))}
          >
            {known.has(id) && of.details?.(known.get(id)!)}
          </MemberItem>
        ))}
      </ol>
      {of.foot?.(members)}
      <Combobox<number> label={f.addMember} text="" ask={ask} onChoose={(option) => onValue([...ids, option.value])} />
    </fieldset>
  );
}

interface ItemProps {
  name: string;
  path: string;
  error: string | undefined;
  index: number;
  count: number;
  onMove: (from: number, to: number) => void;
  onRemove: () => void;
  children: ComponentChildren;
}

const KIND = 'application/x-onair-member';

function MemberItem({ name, path, error, index, count, onMove, onRemove, children }: ItemProps) {
  const f = formWords.value;
  const accept = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes(KIND) === true) event.preventDefault();
  };
  const drop = (event: DragEvent): void => {
    const from = event.dataTransfer?.getData(KIND) ?? '';
    if (from === '') return;
    event.preventDefault();
    onMove(Number(from), index);
  };
  return (
    <li
      class="member"
      data-path={path}
      draggable
      onDragStart={(event) => event.dataTransfer?.setData(KIND, String(index))}
      onDragOver={accept}
      onDrop={drop}
    >
      <span class="member-name">{name}</span>
      <span class="member-details">{children}</span>
      <span class="acts">
        {index > 0 && (
          <Button kind="quiet" label={f.up(name)} icon="chevron-up" onPress={() => onMove(index, index - 1)}>
            {''}
          </Button>
        )}
        {index < count - 1 && (
          <Button kind="quiet" label={f.down(name)} icon="chevron-down" onPress={() => onMove(index, index + 1)}>
            {''}
          </Button>
        )}
        <Button kind="quiet" label={f.removeOf(name)} icon="x" onPress={onRemove}>
          {''}
        </Button>
      </span>
      {error !== undefined && <p class="field-error">{error}</p>}
    </li>
  );
}
