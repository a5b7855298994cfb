/** Says changes of state in the live regions, and counts faults in the title and the favicon. */
import { effect } from '@preact/signals';
import { session } from '../api/session.ts';
import { words } from '../i18n/words.ts';
import type { StateName } from '../live/health.ts';
import { moment } from '../live/clock.ts';
import { feed, isStale, viewOf } from '../live/streams.ts';
import { route } from '../route.ts';
import { announce, announceFault, notify } from '../ui/registry/notices.ts';
import { soundAlarm } from './alarm-tone.ts';
import { changesBetween, type StreamState } from './state-changes.ts';
import { streamStates, summary } from './states.ts';

const isFault = (state: StateName): boolean => state === 'failing' || state === 'failed';
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

effect(() => {
  const { complete } = feed.value;
  const states = streamStates.value;
  // What is old news after a break is seen on the page; it is not read out as if it happened now.
  if (!complete || isStale.value) {
    known = undefined;
    return;
  }
  const changes = known === undefined ? [] : changesBetween(known, states);
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
  if (changes.some(({ state }) => isFault(state))) soundAlarm();
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
