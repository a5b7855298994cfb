/** The page Devices: the machines that run encoders, one by one and in pools, and the tokens by which they join. */
import { can } from '../../api/can.ts';
import { TabbedPage } from '../../ui/tabbed-page.tsx';
import { Devices } from './devices.tsx';
import { Groups } from './groups.tsx';
import { JoinTokens } from './join-tokens.tsx';
import { words } from './words.ts';

export default function DevicesPage() {
  const w = words.value;
  return (
    <TabbedPage
      title={w.title}
      tabs={[
        { name: 'devices', label: w.title, content: () => <Devices /> },
        { name: 'groups', label: w.groupsTitle, content: () => <Groups /> },
        ...(can('listJoinTokens')
          ? [{ name: 'join-tokens' as const, label: w.joinTitle, content: () => <JoinTokens /> }]
          : []),
      ]}
    />
  );
}
