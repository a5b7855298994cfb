/** The page Users: who may sign in, in which role, and groups of them. */
import { ResourcePage } from '../../resource/resource-page.tsx';
import { TabbedPage } from '../../ui/tabbed-page.tsx';
import { groups, users } from './resources.tsx';
import { words } from './words.ts';

export default function Users() {
  const { title, tabs } = words.value;
  return (
    <TabbedPage
      title={title}
      tabs={[
        { name: 'users', label: tabs.users, content: () => <ResourcePage key="users" of={users} /> },
        { name: 'groups', label: tabs.groups, content: () => <ResourcePage key="groups" of={groups} /> },
      ]}
    />
  );
}
