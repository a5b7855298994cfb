/** The page Encodings: what the pictures become, one by one and in ladders. */
import { TabbedPage } from '../../ui/tabbed-page.tsx';
import { Encodings } from './encodings.tsx';
import { Groups } from './groups.tsx';
import { words } from './words.ts';

export default function EncodingsPage() {
  const w = words.value;
  return (
    <TabbedPage
      title={w.title}
      tabs={[
        { name: 'encodings', label: w.title, content: () => <Encodings /> },
        { name: 'groups', label: w.groupsTitle, content: () => <Groups /> },
      ]}
    />
  );
}
