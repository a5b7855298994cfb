/** The page Destinations: where the broadcasts go, one by one and in groups. */
import { TabbedPage } from '../../ui/tabbed-page.tsx';
import { Destinations } from './destinations.tsx';
import { Groups } from './groups.tsx';
import { words } from './words.ts';

export default function DestinationsPage() {
  const w = words.value;
  return (
    <TabbedPage
      title={w.title}
      tabs={[
        { name: 'destinations', label: w.title, content: () => <Destinations /> },
        { name: 'groups', label: w.groupsTitle, content: () => <Groups /> },
      ]}
    />
  );
}
