/** The pages that the person may open. */
import { words } from '../i18n/words.ts';
import { session } from '../api/session.ts';
import { ADMIN_PAGES, hrefOf, PAGES, route } from '../route.ts';

export function Rail() {
  const { page: present } = route.value;
  const pages = PAGES.filter((page) => session.value?.role === 1 || !ADMIN_PAGES.includes(page));
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
