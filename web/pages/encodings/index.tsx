/** The page Encodings: what the pictures become, one by one and in ladders. */
import { useSignal } from '@preact/signals';
import { Tabs } from '../../ui/tabs.tsx';
import { Encodings } from './encodings.tsx';
import { Groups } from './groups.tsx';
import { words } from './words.ts';

export default function EncodingsPage() {
  const tab = useSignal<'encodings' | 'groups'>('encodings');
  const w = words.value;
  return (
    <>
      <h1>{w.title}</h1>
      <Tabs
        label={w.title}
        tabs={[
          { name: 'encodings', label: w.title },
          { name: 'groups', label: w.groupsTitle },
        ]}
        chosen={tab.value}
        onChoose={(next) => (tab.value = next)}
      >
        {tab.value === 'encodings' ? <Encodings /> : <Groups />}
      </Tabs>
    </>
  );
}
