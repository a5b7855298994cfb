/** The choices of a person that this browser remembers. A browser that keeps nothing works with the defaults. */
import { effect, signal, type Signal } from '@preact/signals';

function kept<T extends string>(name: string, allowed: readonly T[], otherwise: T): Signal<T> {
  const key = `onair.${name}`;
  const read = (): T => {
    try {
      return allowed.find((value) => value === localStorage.getItem(key)) ?? otherwise;
    } catch {
      // Storage is switched off.
      return otherwise;
    }
  };
  const choice = signal(read());
  effect(() => {
    const { value } = choice;
    try {
      localStorage.setItem(key, value);
    } catch {
      // The choice holds until the page is closed.
    }
  });
  return choice;
}

/** `P`: no picture and no meter moves while it is set. It holds until the page is closed. */
export const isPaused = signal(false);

export const theme = kept('theme', ['dark', 'light'], 'dark');
export const timeZoneChoice = kept('zone', ['station', 'mine', 'utc'], 'station');
export const languageChoice = kept('language', ['auto', 'en', 'es'], 'auto');
export const hasSignedIn = kept('signed-in', ['no', 'yes'], 'no');
/** Whether a fault sounds. */
export const alarmTone = kept('alarm', ['off', 'on'], 'off');
/** Whether Attention is open beside the wall. */
export const attentionList = kept('attention', ['closed', 'open'], 'closed');
/** Whether keys that work anywhere are on (WCAG 2.1.4). */
export const globalKeys = kept('keys', ['on', 'off'], 'on');
