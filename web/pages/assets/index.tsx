/** The page Assets: files, logos and clips. */
import { TabbedPage } from '../../ui/tabbed-page.tsx';
import { BucketTab } from './bucket-tab.tsx';
import type { Bucket } from './bucket.ts';
import { words } from './words.ts';

const BUCKETS: readonly Bucket[] = ['files', 'logos', 'clips'];

export default function Assets() {
  const { title, tabs } = words.value;
  return (
    <TabbedPage
      title={title}
      tabs={BUCKETS.map((name) => ({
        name,
        label: tabs[name],
        content: () => <BucketTab key={name} bucket={name} />,
      }))}
    />
  );
}
