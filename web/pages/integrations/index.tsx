/** The page Integrations: key servers, cloud platforms and the transcription provider. */
import { ResourcePage } from '../../resource/resource-page.tsx';
import { TabbedPage } from '../../ui/tabbed-page.tsx';
import { cloudAccounts, drmProviders } from './accounts.tsx';
import { Transcription } from './transcription.tsx';
import { words } from './words.ts';

export default function Integrations() {
  const { title, tabs } = words.value;
  return (
    <TabbedPage
      title={title}
      tabs={[
        { name: 'drm', label: tabs.drm, content: () => <ResourcePage key="drm" of={drmProviders} /> },
        { name: 'cloud', label: tabs.cloud, content: () => <ResourcePage key="cloud" of={cloudAccounts} /> },
        { name: 'transcription', label: tabs.transcription, content: () => <Transcription /> },
      ]}
    />
  );
}
