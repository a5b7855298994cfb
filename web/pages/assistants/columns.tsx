/** The columns of the list of connected assistants. */
import { can } from '../../api/can.ts';
import type { RowOf } from '../../api/operation-types.ts';
import { session } from '../../api/session.ts';
import { formWords } from '../../i18n/form-words.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/show/time.tsx';
import type { Column } from '../../ui/table.tsx';
import { words } from './words.ts';

export type Assistant = RowOf<'listAssistants'>;

function mayText({ profile, operations }: Assistant): string {
  const w = words.value;
  const profileText = w.profiles[profile ?? 'full'];
  return operations === null ? profileText : `${profileText}, ${w.operationsOf(operations.length)}`;
}

export function columns(onEnd: (row: Assistant) => void): Column<Assistant>[] {
  const w = words.value;
  const connectedBy: Column<Assistant> = { id: 'user', label: w.user, cell: ({ client }) => client.username };
  return [
    {
      id: 'name',
      label: w.name,
      cell: ({ name, client }) => (
        <>
          {name}
          <br />
          <span class="soft">{w.at(client.redirect_host)}</span>
        </>
      ),
    },
    // Everybody else sees their own alone.
    ...(session.value?.role === 1 ? [connectedBy] : []),
    { id: 'may', label: w.may, cell: (row) => <span title={row.operations?.join(', ')}>{mayText(row)}</span> },
    { id: 'used', label: w.lastUsed, cell: ({ client }) => <Time at={client.last_used_at} /> },
    {
      id: 'expires',
      label: w.expires,
      cell: ({ expires_at }) => (expires_at === null ? <span class="soft">{w.never}</span> : <Time at={expires_at} />),
      isMinor: true,
    },
    {
      id: 'acts',
      label: formWords.value.acts,
      align: 'end',
      cell: (row) =>
        can('endAssistant') && (
          <Button kind="quiet" label={w.endOf(row.name)} onPress={() => onEnd(row)}>
            {w.end}
          </Button>
        ),
    },
  ];
}
