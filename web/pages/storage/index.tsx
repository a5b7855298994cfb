/** The page Storage: folders of others that Recordings and clips go to, and what becomes of Recordings. */
import { ResourcePage } from '../../resource/resource-page.tsx';
import { TabbedPage } from '../../ui/tabbed-page.tsx';
import { remoteFolders, targetFolders } from './folders.tsx';
import { Retention } from './retention.tsx';
import { words } from './words.ts';

export default function Storage() {
  const { title, tabs } = words.value;
  return (
    <TabbedPage
      title={title}
      tabs={[
        { name: 'remote', label: tabs.remote, content: () => <ResourcePage key="remote" of={remoteFolders} /> },
        { name: 'target', label: tabs.target, content: () => <ResourcePage key="target" of={targetFolders} /> },
        { name: 'recordings', label: tabs.recordings, content: () => <Retention /> },
      ]}
    />
  );
}
