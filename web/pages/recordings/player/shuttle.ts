/** J K L as editors know them: each press of L or J is one step faster forwards or backwards, K stops. */
const SPEEDS = [1, 2, 4, 8];

/** 0 stands still, below it runs backwards. */
export function nextSpeed(speed: number, key: 'J' | 'K' | 'L'): number {
  if (key === 'K') return 0;
  const sign = key === 'L' ? 1 : -1;
  // The other key slows down first, and turns from a stand.
  if (speed !== 0 && Math.sign(speed) !== sign) return Math.abs(speed) === 1 ? 0 : speed / 2;
  const place = SPEEDS.indexOf(Math.abs(speed));
  return sign * SPEEDS[Math.min(place + 1, SPEEDS.length - 1)]!;
}
