/** The page: sign-in, shell, and the page of the route. */
import './style/app.css';
import './style/pages.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { API_ROOT } from './api/client.ts';
import { keepSession } from './api/renew.ts';
import { forgetAnswers, resourceChanged } from './api/query.ts';
import { forgetSession, session } from './api/session.ts';
import { askSession } from './api/sign-in.ts';
import { language, words } from './i18n/words.ts';
import { closeFeed, isStale, linkMode, openFeed } from './live/streams.ts';
import { theme } from './prefs.ts';
import { Content } from './shell/content.tsx';
import { Header } from './shell/header.tsx';
import { Rail } from './shell/rail.tsx';
import { SignInForm } from './shell/sign-in-form.tsx';

function App() {
  if (session.value === undefined) return null;
  if (session.value === null) return <SignInForm />;
  const w = words.value;
  const skip = (event: Event): void => {
    event.preventDefault();
    document.getElementById('content')?.focus();
  };
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>
        {w.skip}
      </a>
      <div class="shell">
        <Header />
        <Rail />
        <main id="content" tabIndex={-1}>
          {session.value.toolProfile === 'readonly' && <p class="panel">{w.readonly}</p>}
          <Content />
        </main>
      </div>
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
let user: string | undefined;
effect(() => {
  const next = session.value?.user;
  if (next === user) return;
  user = next;
  closeFeed();
  forgetAnswers();
  if (next !== undefined)
    openFeed(API_ROOT, (message) => {
      if (message.event === 'changed') resourceChanged(message.data.resource);
    });
});
effect(() => {
  if (linkMode.value === 'signed-out') forgetSession();
});

keepSession();

const RETRY_MS = 2000;
function begin(): void {
  askSession().catch(() => setTimeout(begin, RETRY_MS));
}
render(<App />, document.getElementById('app')!);
begin();
