/**
 * The keys in force. Letters act on the element that has focus (`useKeys`), a few work anywhere (`useGlobalKeys`) and can be switched off
 * (WCAG 2.1.4). Nothing acts while somebody types into a field.
 */
import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { globalKeys } from '../../prefs.ts';
import { keyNames } from './key-names.ts';

/** Each is named as it is shown: `B`, `Shift L`, `Ctrl K`, `?`, `Enter`, `ArrowDown`, `g o` (one after the other, anywhere only). */
export type Keys = Record<string, { does: string; act: (event: KeyboardEvent) => void; isListed?: boolean }>;

interface Listed {
  group: string;
  keys: Keys;
}

/** The dialog Keys lists these. */
export const keysInForce = signal<readonly Listed[]>([]);
/** The second key of a pair comes within this time. */
const PAIR_MS = 1500;

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !/^(?:checkbox|radio|button|submit|range|file)$/u.test(target.type);
  return target.isContentEditable || target.matches('textarea, select');
}

/** A button inside keeps its own Enter, Space and arrows; a row has none. */
function isForInner(event: KeyboardEvent, element: HTMLElement): boolean {
  const { target } = event;
  if (target === element || !(target instanceof HTMLElement)) return false;
  return (
    /^(?:Enter| |Arrow.*|Home|End)$/u.test(event.key) &&
    target.matches('button, a, input, select, summary, [role]:not([role="row"])')
  );
}

function list(listed: Listed): () => void {
  keysInForce.value = [...keysInForce.peek(), listed];
  return () => {
    keysInForce.value = keysInForce.peek().filter((each) => each !== listed);
  };
}

function actOf(keys: Keys, event: KeyboardEvent): Keys[string] | undefined {
  for (const name of keyNames(event)) if (Object.hasOwn(keys, name)) return keys[name];
  return undefined;
}

/** Keys of an element while it, or something in it, has focus; `group` heads them in the list. */
export function useKeys(ref: RefObject<HTMLElement | null>, group: string, keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Before anybody can press one.
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const hear = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event.target) || isForInner(event, element)) return;
      const found = actOf(latest.current, event);
      if (found === undefined) return;
      event.preventDefault();
      found.act(event);
    };
    element.addEventListener('keydown', hear);
    return () => element.removeEventListener('keydown', hear);
  }, []);
  useEffect(() => list({ group, keys }), [group, Object.keys(keys).join()]);
}

/** Keys that work wherever the focus is, unless a dialog is open; those with Ctrl stay when the others are switched off. */
export function useGlobalKeys(group: string, keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    let first = { key: '', at: -Infinity };
    const hear = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog:modal') !== null) return;
      const [name = ''] = keyNames(event);
      const isPlain = !name.startsWith('Ctrl ');
      if (isPlain && (isTyping(event.target) || globalKeys.value === 'off')) return;
      const pair =
        event.timeStamp - first.at < PAIR_MS ? latest.current[`${first.key} ${name.toLowerCase()}`] : undefined;
      first = { key: name.toLowerCase(), at: event.timeStamp };
      const found = pair ?? actOf(latest.current, event);
      if (found === undefined) return;
      event.preventDefault();
      found.act(event);
    };
    // After the elements' own: what they took is left alone.
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, []);
  useEffect(() => list({ group, keys }), [group, Object.keys(keys).join()]);
}
