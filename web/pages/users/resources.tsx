/** Users and their groups as resources. */
import type { RowOf } from '../../api/operation-types.ts';
import { useList } from '../../api/reads.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { defineResource } from '../../resource/resource-page.tsx';
import { AccessButton } from './access.tsx';
import { UserDetails } from './details.tsx';
import { words } from './words.ts';

type User = RowOf<'getAllUsers'>;

function SignIn({ of: { active, has_password: hasPassword } }: { of: User }) {
  const w = words.value;
  if (!active) return <span class="warn">⊘ {w.disabled}</span>;
  return <span>{hasPassword ? w.active : w.noPassword}</span>;
}

/** Choices are named in the language in force, which may change while the page is open. */
const layout = {
  order: ['username', 'user_role', 'first_name', 'last_name', 'email', 'password'],
  get choices() {
    return { user_role: { '1': words.value.roles[1], '2': words.value.roles[2] } };
  },
};

export const users = defineResource({
  list: 'getAllUsers',
  one: 'getUserById',
  add: 'addUser',
  update: 'updateUser',
  remove: 'deleteUser',
  idParam: 'userId',
  page: 'users',
  nameOf: ({ username }) => username,
  words: () => ({ table: words.value.tabs.users, ...words.value.users }),
  sort: { by: 'username', order: 'asc' },
  columns: () => [
    { id: 'username', label: words.value.username, cell: ({ username }) => username, sortBy: 'username' },
    { id: 'role', label: words.value.role, cell: (row) => words.value.roles[row.user_role], sortBy: 'user_role' },
    {
      id: 'person',
      label: words.value.person,
      cell: (row) => `${row.first_name} ${row.last_name}`.trim(),
      isMinor: true,
    },
    { id: 'email', label: fieldLabel('email'), cell: ({ email }) => email, isMinor: true },
    { id: 'state', label: words.value.state, cell: (row) => <SignIn of={row} />, sortBy: 'active' },
  ],
  acts: (row) => <AccessButton user={row} />,
  drawer: (row) => <UserDetails user={row} />,
  deleteEffect: ({ username }) => words.value.deleteText(username),
  get addLayout() {
    return { ...layout, choices: layout.choices, advanced: ['active'] };
  },
  get layout() {
    // Whoever is shut out is asked about by "Disable", which tells what ends by it.
    return { ...layout, choices: layout.choices, hidden: ['active'] };
  },
});

function Members({ ids }: { ids: readonly number[] }) {
  const { rows } = useList('getAllUsers', { sort: 'username', pageSize: 500 });
  return (
    <>
      <h3>{words.value.members}</h3>
      <ul>
        {ids.map((id) => (
          <li key={id}>{rows.find((user) => user.id === id)?.username ?? id}</li>
        ))}
      </ul>
    </>
  );
}

export const groups = defineResource({
  list: 'getAllUserGroups',
  add: 'addUserGroup',
  update: 'updateUserGroup',
  remove: 'deleteUserGroup',
  idParam: 'groupId',
  nameOf: ({ name }) => name,
  words: () => ({ table: words.value.tabs.groups, ...words.value.groups }),
  columns: () => [
    { id: 'name', label: fieldLabel('name'), cell: ({ name }) => name, sortBy: 'name' },
    { id: 'members', label: words.value.members, cell: ({ elements }) => words.value.memberCount(elements.length) },
  ],
  drawer: ({ elements }) => <Members ids={elements} />,
  layout: { pickers: { elements: 'getAllUsers' } },
});
