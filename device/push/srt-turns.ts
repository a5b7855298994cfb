/** All receivers of SRT of this process have their turns together: to wake up costs more than a turn. */
import type { SrtReceiver } from '../media/srt/srt-receiver.ts';

const TURN_MS = 10;
const receivers = new Set<SrtReceiver>();
let timer: NodeJS.Timeout | undefined;

/** Returns the function that ends it. */
export function receiveInTurns(receiver: SrtReceiver): () => void {
  receivers.add(receiver);
  timer ??= setInterval(turn, TURN_MS);
  return () => {
    receivers.delete(receiver);
    if (receivers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function turn(): void {
  const now = performance.now();
  for (const receiver of receivers) receiver.turn(now);
}
