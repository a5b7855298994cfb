/** Leaves out one start of a Schedule; undo restores it. */
import { sendOrder } from '../../../api/commands.ts';
import { words } from '../words.ts';
import { follow } from './orders.ts';

interface Occurrence {
  scheduleId?: number;
  start?: string;
  livestreamId: number;
}

export function skipStart({ scheduleId, start, livestreamId }: Occurrence, name: string): void {
  if (scheduleId === undefined || start === undefined) return;
  const { going, done } = words.peek().acts;
  const order = sendOrder({
    operation: 'skipOccurrence',
    params: { scheduleId },
    body: { occurrence_start: start },
  });
  let skipId: number | undefined;
  void order.done.then((skip) => (skipId = skip.skipId));
  const undo = (): void => {
    if (skipId !== undefined) sendOrder({ operation: 'restoreSkip', params: { scheduleId, skipId } });
  };
  follow({ livestreamId, control: 'plan', words: going.skip, order }, { text: done.skip(name), undo });
}
