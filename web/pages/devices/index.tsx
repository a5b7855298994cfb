/** The page Devices: the machines that run encoders, one by one and in pools. */
import { TabbedPage } from '../../ui/tabbed-page.tsx';
import { Devices } from './devices.tsx';
import { Groups } from './groups.tsx';
import { words } from './words.ts';

export default function DevicesPage() {
  const w = words.value;
  return (
    <TabbedPage
      title={w.title}
      tabs={[
        { name: 'devices', label: w.title, content: () => <Devices /> },
        { name: 'groups', label: w.groupsTitle, content: () => <Groups /> },
      ]}
    />
  );
}
