/** The page of the route: its chunk once it is there, before that an outline, and why it cannot be shown. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { can } from '../api/can.ts';
import { withWords, words } from '../i18n/words.ts';
import { hrefOf, PAGE_OPERATIONS, route, type PageName } from '../route.ts';
import { Outline } from '../ui/show/outline.tsx';
import { CHUNKS } from './chunks.ts';

type Place = PageName | 'wall';

/** Pages that have been opened are there at once the next time. */
const loaded = new Map<Place, ComponentType>();

export function Content() {
  const w = words.value;
  const { page } = route.value;
  if (page === 'unknown')
    return (
      <>
        <h1>{w.unknownPage}</h1>
        <a href={hrefOf('on-air')}>{w.toOnAir}</a>
      </>
    );
  if (page !== 'wall' && !can(PAGE_OPERATIONS[page]))
    return (
      <>
        <h1>{w.pages[page]}</h1>
        <p>
          {w.adminsOnly} <a href={hrefOf('on-air')}>{w.toOnAir}</a>
        </p>
      </>
    );
  return <Chunk key={page} page={page} />;
}

function Chunk({ page }: { page: Place }) {
  const attempt = useSignal(0);
  const View = useSignal<{ view: ComponentType } | 'failed' | undefined>(undefined);
  const isFirst = !loaded.has(page);
  useEffect(() => {
    if (!isFirst) return undefined;
    let isGone = false;
    View.value = undefined;
    withWords(CHUNKS[page]()).then(
      ({ default: view }) => {
        loaded.set(page, view);
        if (!isGone) View.value = { view };
      },
      () => {
        if (!isGone) View.value = 'failed';
      },
    );
    return () => {
      isGone = true;
    };
  }, [page, attempt.value]);
  const w = words.value;
  const Known = loaded.get(page);
  if (Known !== undefined) return <Known />;
  return (
    <>
      <h1>{w.pages[page]}</h1>
      {View.value === 'failed' ? (
        <div role="alert">
          {w.chunkFailed(w.pages[page])}{' '}
          <button type="button" onClick={() => again(attempt)}>
            {w.tryAgain}
          </button>
        </div>
      ) : (
        <Outline rows={6} />
      )}
    </>
  );
}

/** A second failure may mean that a newer build has other files: the document names them. */
function again(attempt: { value: number }): void {
  if (attempt.value > 0) location.reload();
  else attempt.value += 1;
}
