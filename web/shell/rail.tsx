/** The pages that the person may open. On a phone it is a bar at the bottom. */
import { useEffect, useRef } from 'preact/hooks';
import { can } from '../api/can.ts';
import { words } from '../i18n/words.ts';
import { hrefOf, PAGE_OPERATIONS, PAGES, route, type PageName } from '../route.ts';
import { Icon, type IconName } from '../ui/show/icon.tsx';
import { usePageTroubles } from './page-troubles.ts';

const ICONS: Record<PageName, IconName> = {
  'on-air': 'layout-grid',
  'live-streams': 'radio',
  scheduler: 'calendar-clock',
  recordings: 'film',
  events: 'triangle-alert',
  walls: 'maximize',
  sources: 'video',
  encodings: 'layers',
  destinations: 'share-2',
  devices: 'cpu',
  assets: 'image',
  assistants: 'network',
  storage: 'hard-drive',
  integrations: 'plug',
  users: 'users',
  tokens: 'key',
  audit: 'scroll-text',
  system: 'server',
};
/** The first page of the parts of a broadcast, and of who and what else has to do with them. */
const GROUP_STARTS: readonly PageName[] = ['sources', 'assistants'];

export function Rail() {
  const { page: present } = route.value;
  const nav = useRef<HTMLElement>(null);
  const troubles = usePageTroubles();
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current !== null && link != null) bringIntoView(nav.current, link);
  }, [present]);
  return (
    <nav ref={nav} class="rail" aria-label={words.value.pagesLabel}>
      {PAGES.filter((page) => can(PAGE_OPERATIONS[page])).map((page) => (
        <a
          key={page}
          href={hrefOf(page)}
          class={GROUP_STARTS.includes(page) ? 'group-start' : undefined}
          aria-current={page === present ? 'page' : undefined}
          aria-description={troubles[page]}
          title={troubles[page]}
          data-trouble={troubles[page] === undefined ? undefined : ''}
        >
          <Icon name={ICONS[page]} size={20} />
          <span>{words.value.pages[page]}</span>
        </a>
      ))}
    </nav>
  );
}

/** Not by scrollIntoView: from then on the first Tab would go to what follows the link, and not to "Skip to content". */
function bringIntoView(list: HTMLElement, link: HTMLElement): void {
  const box = list.getBoundingClientRect();
  const { left, right, top, bottom } = link.getBoundingClientRect();
  list.scrollBy(
    Math.min(0, left - box.left) + Math.max(0, right - box.right),
    Math.min(0, top - box.top) + Math.max(0, bottom - box.bottom),
  );
}
