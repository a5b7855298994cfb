/** Words that appear while a button is held down would move it away from under the pointer, and its click would be lost. */
let isDown = false;
addEventListener('pointerdown', () => (isDown = true), { capture: true });
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => (isDown = false), { capture: true });

/** Does it now, or when the press that is under way has had its click. */
export function afterPress(act: () => void): void {
  if (!isDown) {
    act();
    return;
  }
  const end = (): void => {
    removeEventListener('pointerup', end);
    removeEventListener('pointercancel', end);
    setTimeout(act, 0);
  };
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
}
