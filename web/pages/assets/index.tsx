/** The page Assets: files, logos and clips. */
import { useSignal } from '@preact/signals';
import { Tabs } from '../../ui/tabs.tsx';
import { BucketTab } from './bucket-tab.tsx';
import type { Bucket } from './bucket.ts';
import { words } from './words.ts';

const BUCKETS: readonly Bucket[] = ['files', 'logos', 'clips'];

export default function Assets() {
  const bucket = useSignal<Bucket>('files');
  const w = words.value;
  return (
    <>
      <h1>{w.title}</h1>
      <Tabs
        label={w.title}
        tabs={BUCKETS.map((name) => ({ name, label: w.tabs[name] }))}
        chosen={bucket.value}
        onChoose={(next) => (bucket.value = next)}
      >
        <BucketTab key={bucket.value} bucket={bucket.value} />
      </Tabs>
    </>
  );
}
