/** Tells that somebody else, or an assistant, has just changed the stream. */
import { useComputed } from '@preact/signals';
import { session } from '../../../api/session.ts';
import { moment } from '../../../live/clock.ts';
import type { StreamView } from '../../../live/streams.ts';
import { hasJustOrdered } from '../acts/orders.ts';
import { words } from '../words.ts';

const SHOWN_MS = 5_000;

export function Company({ view, id }: { view: StreamView; id: number }) {
  const text = useComputed(() => {
    const last = view.by.value;
    if (last === undefined || moment.value - last.at > SHOWN_MS) return '';
    const { user, via } = last.by;
    // The same person in this very window needs not be told.
    const isOwn = via === 'ui' && user === session.value?.user && hasJustOrdered(id, SHOWN_MS);
    return isOwn ? '' : words.value.tile.by(user, via);
  });
  return text.value === '' ? null : <p class="company">{text.value}</p>;
}
