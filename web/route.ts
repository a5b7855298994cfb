/** The pages and their hash routes: `#/on-air`, `#/live-streams/12`. */
import { computed, signal } from '@preact/signals';
import type { OperationId } from '../client/request.ts';

export const PAGES = [
  'on-air',
  'live-streams',
  'scheduler',
  'recordings',
  'events',
  'walls',
  'sources',
  'encodings',
  'destinations',
  'devices',
  'assets',
  'assistants',
  'storage',
  'integrations',
  'users',
  'tokens',
  'audit',
  'system',
] as const;
export type PageName = (typeof PAGES)[number];

/** The first thing each page asks: who may not ask it has no use for the page. */
export const PAGE_OPERATIONS: Record<PageName, OperationId> = {
  'on-air': 'getLivestreamsStatus',
  'live-streams': 'getAllLivestreams',
  scheduler: 'getScheduleOccurrences',
  recordings: 'getRecordings',
  events: 'getAllEvents',
  walls: 'getAllWalls',
  sources: 'getAllChannels',
  encodings: 'getAllEncodings',
  destinations: 'getAllPublishings',
  devices: 'getAllDevices',
  assets: 'listAssets',
  assistants: 'listAssistants',
  storage: 'getAllTargetFolders',
  integrations: 'getAllCloudAccounts',
  users: 'getAllUsers',
  tokens: 'listApiTokens',
  audit: 'getAuditLog',
  system: 'getSystemLicenses',
};

/** The pages that open one row: `#/users/2`. */
const OPENS_ROWS: readonly string[] = [
  'wall',
  'live-streams',
  'recordings',
  'sources',
  'encodings',
  'destinations',
  'devices',
  'users',
];

export interface Route {
  page: PageName | 'wall' | 'unknown';
  id: number | undefined;
  /** The part behind `?`: first values of a page's filters. */
  query: Readonly<Record<string, string>>;
}

function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#?\/?/u, '').split('?', 2);
  const [name = '', id = '', ...rest] = path.split('/');
  const query = Object.fromEntries(new URLSearchParams(search));
  if (name === '') return { page: 'on-air', id: undefined, query };
  const isKnown = name === 'wall' || PAGES.some((page) => page === name);
  const isRow = id === '' || (OPENS_ROWS.includes(name) && /^[1-9]\d{0,8}$/u.test(id));
  if (!isKnown || !isRow || rest.length > 0) return { page: 'unknown', id: undefined, query };
  return { page: name as PageName | 'wall', id: id === '' ? undefined : Number(id), query };
}

export function hrefOf(page: PageName | 'wall', id?: number, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `#/${page}${id === undefined ? '' : `/${id}`}${search && `?${search}`}`;
}

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const route = computed(() => parseRoute(hash.value));
