/** How keys are named, on the page and in aria-keyshortcuts. */

interface KeyPress {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** The names under which a key may be known; the first is what it types. */
export function keyNames(event: KeyPress): string[] {
  const { key, code, shiftKey } = event;
  if (event.altKey) return [];
  // A layout without Latin letters still has them at their places.
  const letter = /^[a-z]$/iu.test(key) ? key.toUpperCase() : /^Key([A-Z])$/u.exec(code)?.[1];
  const digit = /^Digit(\d)$/u.exec(code)?.[1];
  if (event.ctrlKey || event.metaKey) return letter === undefined ? [] : [`Ctrl ${letter}`];
  if (letter !== undefined) return [shiftKey ? `Shift ${letter}` : letter];
  const name = key === ' ' ? 'Space' : key;
  if (digit !== undefined && shiftKey) return [name, `Shift ${digit}`];
  return shiftKey && name.length > 1 ? [`Shift ${name}`] : [name];
}

/** As `aria-keyshortcuts` has it: `Shift+L`, `Control+K`. A pair of keys has no such form. */
export function ariaKeys(key: string): string | undefined {
  if (/^\w \w$/u.test(key)) return undefined;
  return key.replace('Ctrl ', 'Control+').replace('Shift ', 'Shift+');
}
