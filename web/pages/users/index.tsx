/** The page Users: who may sign in, in which role, and groups of them. */
import { useSignal } from '@preact/signals';
import { ResourcePage } from '../../resource/resource-page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { groups, users } from './resources.tsx';
import { words } from './words.ts';

type Tab = 'users' | 'groups';

export default function Users() {
  const tab = useSignal<Tab>('users');
  const w = words.value;
  const names: readonly Tab[] = ['users', 'groups'];
  return (
    <>
      <h1>{w.title}</h1>
      <Tabs
        label={w.title}
        tabs={names.map((name) => ({ name, label: w.tabs[name] }))}
        chosen={tab.value}
        onChoose={(name) => (tab.value = name)}
      >
        {tab.value === 'users' && <ResourcePage key="users" of={users} />}
        {tab.value === 'groups' && <ResourcePage key="groups" of={groups} />}
      </Tabs>
    </>
  );
}
