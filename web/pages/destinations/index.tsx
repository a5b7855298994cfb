/** The page Destinations: where the broadcasts go, one by one and in groups. */
import { useSignal } from '@preact/signals';
import { Tabs } from '../../ui/tabs.tsx';
import { Destinations } from './destinations.tsx';
import { Groups } from './groups.tsx';
import { words } from './words.ts';

export default function DestinationsPage() {
  const tab = useSignal<'destinations' | 'groups'>('destinations');
  const w = words.value;
  return (
    <>
      <h1>{w.title}</h1>
      <Tabs
        label={w.title}
        tabs={[
          { name: 'destinations', label: w.title },
          { name: 'groups', label: w.groupsTitle },
        ]}
        chosen={tab.value}
        onChoose={(next) => (tab.value = next)}
      >
        {tab.value === 'destinations' ? <Destinations /> : <Groups />}
      </Tabs>
    </>
  );
}
