/** The event of a Device that was to be cut off, inside a commit. */
import { called } from '../../base/sentence.ts';
import type { FenceAnswer, FencedDevice } from '../../ports/fence.ts';
import type { Tx } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';

export function noteFence(tx: Tx, now: string, device: FencedDevice, answer: FenceAnswer, ms: number): void {
  const { outcome } = answer;
  const name = called('Device', device);
  const message =
    answer.outcome === 'done'
      ? `${name} was silent and is cut off (ONAIR_FENCE): it delivers nothing any more.`
      : `${name} is silent and could not be cut off (ONAIR_FENCE): ${answer.reason}. Its broadcasts move once their lease has ended.`;
  addEvent(tx, now, null, {
    kind: 'device_fenced',
    severity: outcome === 'done' ? 'warning' : 'error',
    message,
    data: { deviceId: device.id, outcome, ms },
  });
}
