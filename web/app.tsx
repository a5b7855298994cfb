/** The page: sign-in, shell, and the page of the route. */
import './style/tokens.css';
import './style/base.css';
import './style/ui.css';
import './style/shell.css';
import './style/pages.css';
import './shell/announcer.ts';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { can } from './api/can.ts';
import { API_ROOT } from './api/client.ts';
import { keepSession } from './api/renew.ts';
import { forgetAnswers, resourceChanged } from './api/query.ts';
import { forgetSession, isExpired, session } from './api/session.ts';
import { askSession, mayBeSignedIn } from './api/sign-in.ts';
import { display, endDisplay } from './display.ts';
import { language, withWords, words } from './i18n/words.ts';
import type { FeedMessage } from './live/feed.ts';
import { closeFeed, openFeed } from './live/session-link.ts';
import { isStale, linkMode, streamIds } from './live/streams.ts';
import { theme } from './prefs.ts';
import { hrefOf, route } from './route.ts';
import { fetchAhead } from './shell/chunks.ts';
import { Content } from './shell/content.tsx';
import { DisplayedWall } from './shell/displayed-wall.tsx';
import { Header } from './shell/header.tsx';
import { useShellKeys } from './shell/global-keys.ts';
import { isKeysOpen, KeysDialog } from './shell/keys-dialog.tsx';
import { isPaletteOpen, Palette } from './shell/palette.tsx';
import { PasswordDialog } from './shell/password.tsx';
import { Rail } from './shell/rail.tsx';
import { RestoreBanner } from './shell/restore-banner.tsx';
import { SignInForm } from './shell/sign-in-form.tsx';
import { Veil } from './shell/veil.tsx';
import { Notices } from './ui/notices.tsx';
import { auditHref } from './ui/registry/audit-link.ts';
import { topModal } from './ui/registry/modals.ts';

function App() {
  if (display !== undefined) return <DisplayedWall />;
  if (session.value === undefined) return null;
  if (session.value === null)
    return (
      <main>
        <SignInForm />
      </main>
    );
  // Another person starts with views of their own.
  return <Shell key={session.value.user} />;
}

function skipToTiles(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content [data-livestream]')?.focus();
}

function Shell() {
  useShellKeys();
  const ref = useRef<HTMLDivElement>(null);
  const w = words.value;
  const isVeiled = isExpired.value;
  const isMonitor = route.value.page === 'wall';
  const isScreen = isMonitor && route.value.id !== undefined;
  useEffect(() => {
    // The sign-in form had the focus; Tab begins at the first link.
    if (document.activeElement === document.body) ref.current?.focus();
  }, []);
  const skip = (event: Event): void => {
    event.preventDefault();
    document.getElementById('content')?.focus();
  };
  return (
    <>
      <div
        ref={ref}
        class={isScreen ? 'shell-screen' : isMonitor ? 'shell shell-monitor' : 'shell'}
        tabIndex={-1}
        inert={isVeiled}
        aria-hidden={isVeiled || undefined}
      >
        {!isMonitor && (
          <a class="skip" href="#content" onClick={skip}>
            {w.skip}
          </a>
        )}
        {route.value.page === 'on-air' && streamIds.value.length > 0 && (
          <a class="skip" href="#content" onClick={skipToTiles}>
            {w.skipToTiles}
          </a>
        )}
        {!isScreen && <Header isMonitor={isMonitor} />}
        {!isMonitor && <Rail />}
        <main id="content" tabIndex={-1}>
          {!isScreen && session.value?.toolProfile === 'readonly' && <p class="banner">{w.readonly}</p>}
          {!isScreen && <RestoreBanner />}
          <Content />
        </main>
        {topModal.value === undefined && <Notices />}
      </div>
      {isKeysOpen.value && <KeysDialog />}
      <PasswordDialog />
      {isPaletteOpen.value && <Palette />}
      {isVeiled && <Veil />}
    </>
  );
}

effect(() => {
  const { dataset } = document.documentElement;
  dataset['theme'] = theme.value;
  document.documentElement.lang = language.value;
  if (isStale.value) dataset['stale'] = '';
  else delete dataset['stale'];
});
function hear(message: FeedMessage): void {
  if (message.event === 'changed') resourceChanged(message.data.resource);
}
if (display !== undefined) openFeed(API_ROOT, hear, display.token);
let user: string | undefined;
let wasExpired = false;
effect(() => {
  const next = session.value?.user;
  const isBack = wasExpired && !isExpired.value;
  wasExpired = isExpired.value;
  if (next === user && !isBack) return;
  closeFeed();
  if (next !== user) forgetAnswers();
  user = next;
  if (next !== undefined) openFeed(API_ROOT, hear);
});
effect(() => {
  auditHref.value = can('getAuditLog') ? (request_id) => hrefOf('audit', undefined, { request_id }) : undefined;
});
effect(() => {
  if (linkMode.value === 'signed-out') (display === undefined ? forgetSession : endDisplay)();
});

keepSession(() => route.peek().page === 'wall');

const RETRY_MS = 2000;
function begin(): void {
  askSession().catch(() => setTimeout(begin, RETRY_MS));
}
const { page } = route.peek();
// The code comes while the server says who is signed in.
if (page !== 'unknown' && (display !== undefined || mayBeSignedIn())) fetchAhead(page);
void withWords(<App />).then((app) => render(app, document.getElementById('app')!));
if (display === undefined) begin();
