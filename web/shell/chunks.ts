/** The code of each page, a chunk of its own that is fetched when the page is opened. */
import type { ComponentType } from 'preact';
import type { PageName } from '../route.ts';

type Load = () => Promise<{ default: ComponentType }>;

export const CHUNKS: Record<PageName | 'wall', Load> = {
  'on-air': () => import('../pages/on-air/index.tsx'),
  wall: () => import('../pages/on-air/monitor.tsx'),
  'live-streams': () => import('../pages/live-streams/index.tsx'),
  scheduler: () => import('../pages/scheduler/index.tsx'),
  recordings: () => import('../pages/recordings/index.tsx'),
  events: () => import('../pages/events/index.tsx'),
  walls: () => import('../pages/walls/index.tsx'),
  sources: () => import('../pages/sources/index.tsx'),
  encodings: () => import('../pages/encodings/index.tsx'),
  destinations: () => import('../pages/destinations/index.tsx'),
  devices: () => import('../pages/devices/index.tsx'),
  assets: () => import('../pages/assets/index.tsx'),
  assistants: () => import('../pages/assistants/index.tsx'),
  storage: () => import('../pages/storage/index.tsx'),
  integrations: () => import('../pages/integrations/index.tsx'),
  users: () => import('../pages/users/index.tsx'),
  tokens: () => import('../pages/tokens/index.tsx'),
  audit: () => import('../pages/audit/index.tsx'),
  system: () => import('../pages/system/index.tsx'),
};

/** Begins to fetch a page's code before it is to be shown; a failure is told then. */
export function fetchAhead(page: PageName | 'wall'): void {
  void CHUNKS[page]().catch(() => undefined);
}

/** The form of one's own password: most people never open it. */
export const loadOwnPassword = () => import('../resource/own-password.tsx');
