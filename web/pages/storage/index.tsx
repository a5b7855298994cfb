/** The page Storage: folders of others that Recordings and clips go to, and what becomes of Recordings. */
import { useSignal } from '@preact/signals';
import { ResourcePage } from '../../resource/resource-page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { remoteFolders, targetFolders } from './folders.tsx';
import { Retention } from './retention.tsx';
import { words } from './words.ts';

type Tab = 'remote' | 'target' | 'recordings';

export default function Storage() {
  const tab = useSignal<Tab>('remote');
  const w = words.value;
  const names: readonly Tab[] = ['remote', 'target', 'recordings'];
  return (
    <>
      <h1>{w.title}</h1>
      <Tabs
        label={w.title}
        tabs={names.map((name) => ({ name, label: w.tabs[name] }))}
        chosen={tab.value}
        onChoose={(name) => (tab.value = name)}
      >
        {tab.value === 'remote' && <ResourcePage key="remote" of={remoteFolders} />}
        {tab.value === 'target' && <ResourcePage key="target" of={targetFolders} />}
        {tab.value === 'recordings' && <Retention />}
      </Tabs>
    </>
  );
}
