/** Says changes of state in the live regions, and counts faults in the title and the favicon. */
import { effect } from '@preact/signals';
import { session } from '../api/session.ts';
import { words } from '../i18n/words.ts';
import { moment } from '../live/clock.ts';
import { feed, isStale, viewOf } from '../live/streams.ts';
import { route } from '../route.ts';
import { announce, announceFault, notify } from '../ui/registry/notices.ts';
import './alarm/alarm.ts';
import { changesBetween, changesOfBreak, isFault, type StreamState } from './state-changes.ts';
import { streamStates, summary } from './states.ts';

/** An encoder has this long to end. */
const STOP_MS = 15_000;

/** Somebody else, or an assistant, who has just stopped a stream. */
function stoppedBy(id: number): { user: string; via: string } | undefined {
  const last = viewOf(id)?.by.peek();
  if (last === undefined || moment.peek() - last.at > STOP_MS) return undefined;
  const { user, via } = last.by;
  return via === 'ui' && user === session.peek()?.user ? undefined : last.by;
}

let known: readonly StreamState[] | undefined;
/** Nothing was heard since `known`. */
let isAfterBreak = false;

effect(() => {
  const { complete } = feed.value;
  const states = streamStates.value;
  if (!complete || isStale.value) {
    isAfterBreak = true;
    return;
  }
  const before = known ?? states;
  const changes = isAfterBreak ? changesOfBreak(before, states) : changesBetween(before, states);
  isAfterBreak = false;
  known = states;
  const w = words.peek();
  for (const { id, name, state } of changes) {
    const text = `${name}: ${w.states[state]}`;
    const by = state === 'off' ? stoppedBy(id) : undefined;
    if (isFault(state)) announceFault(text);
    // Its tile is gone, which tells this otherwise.
    else if (by !== undefined) notify(`${text}, ${w.by(by.user, by.via)}`);
    else announce(text);
  }
});

const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
const calm = icon?.href ?? '';
const alarm = document.querySelector<HTMLMetaElement>('meta[name=alarm]')?.content ?? calm;

effect(() => {
  const { failing } = summary.value;
  const { page } = route.value;
  const w = words.value;
  const name = page === 'unknown' ? w.unknownPage : w.pages[page];
  const mark = isStale.value ? '(?) ' : failing > 0 ? `(${failing}!) ` : '';
  document.title = `${mark}${name} · onair`;
  if (icon !== null) icon.href = failing > 0 ? alarm : calm;
});
