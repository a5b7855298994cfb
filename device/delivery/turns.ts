/** Takes turns among all answers of a process, so that its loop gets to everything else however many viewers there are. */

/** Reading and handing on a piece takes some 50 µs, so a turn of the loop gives half a millisecond to pieces. */
const PIECES_A_TURN = 8;

const waiting: (() => void)[] = [];
let isDue = false;

/** Resolves when the next piece may be moved; first come, first served. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isDue) return;
    isDue = true;
    setImmediate(release);
  });
}

function release(): void {
  for (const resolve of waiting.splice(0, PIECES_A_TURN)) resolve();
  isDue = waiting.length > 0;
  if (isDue) setImmediate(release);
}
