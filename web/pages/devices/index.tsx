/** The page Devices: the machines that run encoders, one by one and in pools. */
import { useSignal } from '@preact/signals';
import { Tabs } from '../../ui/tabs.tsx';
import { Devices } from './devices.tsx';
import { Groups } from './groups.tsx';
import { words } from './words.ts';

export default function DevicesPage() {
  const tab = useSignal<'devices' | 'groups'>('devices');
  const w = words.value;
  return (
    <>
      <h1>{w.title}</h1>
      <Tabs
        label={w.title}
        tabs={[
          { name: 'devices', label: w.title },
          { name: 'groups', label: w.groupsTitle },
        ]}
        chosen={tab.value}
        onChoose={(next) => (tab.value = next)}
      >
        {tab.value === 'devices' ? <Devices /> : <Groups />}
      </Tabs>
    </>
  );
}
