/** The pages that the person may open. */
import { words } from '../i18n/words.ts';
import { can } from '../api/can.ts';
import { hrefOf, PAGE_OPERATIONS, PAGES, route } from '../route.ts';

export function Rail() {
  const { page: present } = route.value;
  const pages = PAGES.filter((page) => can(PAGE_OPERATIONS[page]));
  return (
    <nav class="rail" aria-label={words.value.pagesLabel}>
      {pages.map((page) => (
        <a key={page} href={hrefOf(page)} aria-current={page === present ? 'page' : undefined}>
          {words.value.pages[page]}
        </a>
      ))}
    </nav>
  );
}
