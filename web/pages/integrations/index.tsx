/** The page Integrations: key servers, cloud platforms and the transcription provider. */
import { useSignal } from '@preact/signals';
import { ResourcePage } from '../../resource/resource-page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { cloudAccounts, drmProviders } from './accounts.tsx';
import { Transcription } from './transcription.tsx';
import { words } from './words.ts';

type Tab = 'drm' | 'cloud' | 'transcription';

export default function Integrations() {
  const tab = useSignal<Tab>('drm');
  const w = words.value;
  const names: readonly Tab[] = ['drm', 'cloud', 'transcription'];
  return (
    <>
      <h1>{w.title}</h1>
      <Tabs
        label={w.title}
        tabs={names.map((name) => ({ name, label: w.tabs[name] }))}
        chosen={tab.value}
        onChoose={(name) => (tab.value = name)}
      >
        {tab.value === 'drm' && <ResourcePage key="drm" of={drmProviders} />}
        {tab.value === 'cloud' && <ResourcePage key="cloud" of={cloudAccounts} />}
        {tab.value === 'transcription' && <Transcription />}
      </Tabs>
    </>
  );
}
