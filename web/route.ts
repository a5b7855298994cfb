/** The pages and their hash routes: `#/on-air`, `#/live-streams/12`. */
import { computed, signal } from '@preact/signals';

export const PAGES = [
  'on-air',
  'live-streams',
  'scheduler',
  'recordings',
  'sources',
  'encodings',
  'destinations',
  'devices',
  'assets',
  'storage',
  'integrations',
  'users',
  'tokens',
  'audit',
  'system',
] as const;
export type PageName = (typeof PAGES)[number];

/** Pages of Administrators. */
export const ADMIN_PAGES: readonly PageName[] = ['storage', 'integrations', 'users', 'tokens', 'audit', 'system'];

export interface Route {
  page: PageName | 'wall' | 'unknown';
  id: number | undefined;
}

export function parseRoute(hash: string): Route {
  const [name = '', id = '', ...rest] = hash.replace(/^#?\/?/u, '').split('/');
  if (name === '') return { page: 'on-air', id: undefined };
  const isKnown = name === 'wall' || PAGES.some((page) => page === name);
  if (!isKnown || rest.length > 0 || !/^(?:[1-9]\d{0,8})?$/u.test(id)) return { page: 'unknown', id: undefined };
  return { page: name as PageName | 'wall', id: id === '' ? undefined : Number(id) };
}

export function hrefOf(page: PageName | 'wall', id?: number): string {
  return `#/${page}${id === undefined ? '' : `/${id}`}`;
}

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const route = computed(() => parseRoute(hash.value));
