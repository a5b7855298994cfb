/** The link by which this window shows a wall: nobody is signed in at it. */
import { signal } from '@preact/signals';
import { hrefOf, route } from './route.ts';

interface Display {
  wallId: number;
  token: string;
}

const nameOf = (wallId: number): string => `onair.display.${wallId}`;

/** The token of the address goes into the memory of the browser, by wall, so that nobody reads it off the screen. */
function opened(): Display | undefined {
  const { page, id: wallId, query } = route.peek();
  if (page !== 'wall' || wallId === undefined) return undefined;
  const { key } = query;
  try {
    if (key !== undefined) {
      localStorage.setItem(nameOf(wallId), key);
      history.replaceState(null, '', hrefOf('wall', wallId));
    }
    const token = key ?? localStorage.getItem(nameOf(wallId));
    return token === null ? undefined : { wallId, token };
  } catch {
    // Storage is switched off: the address keeps the token.
    return key === undefined ? undefined : { wallId, token: key };
  }
}

/** undefined: the window is for people who sign in. */
export const display = opened();
/** The link was revoked, or its wall is gone. */
export const hasEnded = signal(false);

export function endDisplay(): void {
  if (display === undefined) return;
  hasEnded.value = true;
  try {
    localStorage.removeItem(nameOf(display.wallId));
  } catch {
    // It was not kept.
  }
}

addEventListener('hashchange', () => {
  const { page, id, query } = route.peek();
  const isSame = page === 'wall' && id === display?.wallId && query['key'] === undefined;
  // Another address of this window: it begins anew.
  if (query['key'] !== undefined || (display !== undefined && !isSame)) location.reload();
});
