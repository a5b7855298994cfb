/** The columns of a table of groups: a group, and the names of its members. */
import { fieldLabel } from '../i18n/field-labels.ts';
import type { Column } from '../ui/table.tsx';

export function groupColumns<R extends { name: string }>(
  members: string,
  membersOf: (row: R) => readonly { name: string }[],
): Column<R>[] {
  return [
    { id: 'name', label: fieldLabel('name'), cell: ({ name }) => name, sortBy: 'name' },
    {
      id: 'members',
      label: members,
      cell: (row) =>
        membersOf(row)
          .map(({ name }) => name)
          .join(', '),
    },
  ];
}
