/** The page System: what this server is, whether it is ready, its licences, and what helps when it is not well. */
import { API_ROOT } from '../../api/client.ts';
import { can } from '../../api/can.ts';
import { Icon } from '../../ui/show/icon.tsx';
import { Alarms } from './alarms.tsx';
import { Licences } from './licences.tsx';
import { ServerFacts } from './server-facts.tsx';
import { MailRules } from './mail-rules.tsx';
import { Servers } from './servers.tsx';
import { words } from './words.ts';

export default function System() {
  const w = words.value;
  return (
    <>
      <h1>{w.title}</h1>
      <Alarms />
      <ServerFacts />
      <div class="bar system-links">
        {can('downloadSystemInfo') && (
          <a class="button" href={`${API_ROOT}/system/info/download`} download aria-describedby="bundle-text">
            <Icon name="download" /> {w.bundle}
          </a>
        )}
        <a href={new URL('metrics', document.baseURI).href} target="_blank" rel="noreferrer">
          {w.metrics}
        </a>
        <a href={`${API_ROOT}/openapi.json`} target="_blank" rel="noreferrer">
          {w.description}
        </a>
      </div>
      <p id="bundle-text" class="soft">
        {w.bundleText}
      </p>
      <Servers />
      <Licences />
      <MailRules />
    </>
  );
}
