/** A press on a time line that becomes a pull once the pointer has moved. */

/** A press that trembles is a click. */
const STILL_PX = 5;

interface Pull {
  onMove(event: PointerEvent): void;
  /** `isDone`: the pointer was let go after it had moved; otherwise everything stays as it was. */
  onEnd(isDone: boolean): void;
}

export function followPull(first: PointerEvent, { onMove, onEnd }: Pull): void {
  let isPulled = false;
  const move = (next: PointerEvent): void => {
    isPulled ||= Math.abs(next.clientX - first.clientX) >= STILL_PX;
    if (isPulled) onMove(next);
  };
  const end = (last: Event): void => {
    removeEventListener('pointermove', move);
    removeEventListener('pointerup', end);
    removeEventListener('pointercancel', end);
    onEnd(isPulled && last.type === 'pointerup');
  };
  addEventListener('pointermove', move);
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
}
