/** Switching the source of a broadcast, and back to the one before. */
import { sendOrder } from '../../../api/commands.ts';
import { switchable } from '../tile/channel-names.ts';
import { words } from '../words.ts';
import { follow } from './orders.ts';
import { sourceOf } from './source-before.ts';
import { left, sourceBefore } from './source-left.ts';
import { nameOf, statusOf } from './runtime.ts';

export function switchSource(id: number, channelId: number, undo = true): void {
  const { going, done } = words.peek().acts;
  const status = statusOf(id);
  const present = status === undefined ? undefined : sourceOf(status);
  const order = sendOrder({
    operation: 'runtimeApplySourceSwitch',
    params: { livestreamId: id },
    body: { channelId },
  });
  const isWayBack = undo && present !== undefined && switchable.peek().has(present);
  follow(
    { livestreamId: id, control: 'source', words: going.source, order },
    {
      text: done.source(nameOf(id)),
      undo: isWayBack ? () => switchSource(id, present, false) : undefined,
      then: () => present !== undefined && void left.set(id, present),
    },
  );
}

export function switchBack(id: number): void {
  const status = statusOf(id);
  const channelId = status === undefined ? undefined : sourceBefore(status);
  if (channelId !== undefined) switchSource(id, channelId);
}
