/** Says changes of state in the live regions, and counts faults in the title and the favicon. */
import { effect } from '@preact/signals';
import { words } from '../i18n/words.ts';
import type { StateName } from '../live/health.ts';
import { feed, isStale } from '../live/streams.ts';
import { announce, announceFault } from '../ui/registry/notices.ts';
import { soundAlarm } from './alarm-tone.ts';
import { changesBetween, type StreamState } from './state-changes.ts';
import { streamStates, summary } from './states.ts';

const isFault = (state: StateName): boolean => state === 'failing' || state === 'failed';
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
  for (const { name, state } of changes) {
    const text = `${name}: ${w.states[state]}`;
    if (isFault(state)) announceFault(text);
    else announce(text);
  }
  if (changes.some(({ state }) => isFault(state))) soundAlarm();
});

const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
const calm = icon?.href ?? '';
const alarm = document.querySelector<HTMLMetaElement>('meta[name=alarm]')?.content ?? calm;

effect(() => {
  const { failing } = summary.value;
  document.title = failing > 0 ? `(${failing}!) onair` : 'onair';
  if (icon !== null) icon.href = failing > 0 ? alarm : calm;
});
