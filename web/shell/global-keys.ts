/** The keys and commands that the shell itself gives. */
import { can } from '../api/can.ts';
import { words } from '../i18n/words.ts';
import { feed } from '../live/streams.ts';
import { isPaused, theme } from '../prefs.ts';
import { hrefOf, PAGE_OPERATIONS, PAGES, type PageName } from '../route.ts';
import { useCommands, type Command } from '../ui/registry/commands.ts';
import { useGlobalKeys } from '../ui/registry/keys.ts';
import { announce } from '../ui/registry/notices.ts';
import { isKeysOpen } from './keys-dialog.tsx';
import { leave } from './leave.ts';
import { isPaletteOpen } from './palette.tsx';

const GO: Record<string, PageName> = { o: 'on-air', l: 'live-streams', s: 'scheduler', r: 'recordings' };

export function useShellKeys(): void {
  const w = words.value;
  const go = Object.entries(GO).map(([key, page]) => [`g ${key}`, { does: w.pages[page], act: () => open(page) }]);
  useGlobalKeys(w.anywhere, {
    'Ctrl K': { does: w.commands, act: () => (isPaletteOpen.value = true) },
    '?': { does: w.keys, act: () => (isKeysOpen.value = true) },
    P: { does: w.pause, act: pause },
    ...Object.fromEntries(go),
  });
  useCommands(shellCommands);
}

function open(page: PageName | 'wall', id?: number): void {
  location.hash = hrefOf(page, id);
}

function pause(): void {
  isPaused.value = !isPaused.value;
  announce(isPaused.value ? words.value.paused : words.value.resumed);
}

function shellCommands(): Command[] {
  const w = words.value;
  const keyOf = (page: PageName): string | undefined => Object.keys(GO).find((key) => GO[key] === page);
  const pages = PAGES.filter((page) => can(PAGE_OPERATIONS[page])).map((page): Command => {
    const key = keyOf(page);
    const hint = key === undefined ? {} : { keyHint: `g ${key}` };
    return { id: `page ${page}`, name: w.pages[page], details: w.page, ...hint, run: () => open(page) };
  });
  const streams = [...feed.value.streams.values()].map(({ status: { livestreamId, name, status } }): Command => {
    const state = w.states[status === 2 ? 'on-air' : status === 1 ? 'starting' : status === 3 ? 'failed' : 'off'];
    const run = (): void => open('live-streams', livestreamId);
    return { id: `stream ${livestreamId}`, name, details: `${w.liveStream} · ${state}`, run };
  });
  return [
    ...pages,
    { id: 'page wall', name: w.pages.wall, details: w.page, run: () => open('wall') },
    ...streams,
    {
      id: 'theme',
      name: w.lightTheme,
      details: w.act,
      run: () => (theme.value = theme.value === 'light' ? 'dark' : 'light'),
    },
    { id: 'pause', name: w.pause, details: w.act, keyHint: 'P', run: pause },
    { id: 'keys', name: w.keys, details: w.act, keyHint: '?', run: () => (isKeysOpen.value = true) },
    { id: 'sign out', name: w.signOut, details: w.act, run: leave },
  ];
}
