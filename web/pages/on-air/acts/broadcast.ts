/** Acts on the broadcast as a whole: stop, start again, mark. */
import { signal } from '@preact/signals';
import { sendOrder } from '../../../api/commands.ts';
import { serverNow } from '../../../live/clock.ts';
import { announce } from '../../../ui/registry/notices.ts';
import { clockText } from '../../../zone.ts';
import { shownZone } from '../../../shown-zone.ts';
import { words } from '../words.ts';
import { openDialog } from './focus.ts';
import { follow } from './orders.ts';
import { statusOf } from './runtime.ts';

/** The IN of each stream that waits for its OUT: milliseconds since 1970, server's clock. */
export const marks = signal<ReadonlyMap<number, number>>(new Map());

/** The workflow waits for the end, which its order would take for a missing answer. */
const WAIT_SECONDS = 0;

export function stop(id: number, then: () => void): void {
  const { going, done } = words.peek().acts;
  const name = statusOf(id)?.name ?? '';
  const order = sendOrder({
    operation: 'stop_livestream',
    body: { livestream: `#${id}`, wait_seconds: WAIT_SECONDS },
  });
  follow({ livestreamId: id, control: 'stop', words: going.stop, order }, { text: done.stop(name), then });
}

export function startAgain(id: number): void {
  const { going, done } = words.peek().acts;
  const name = statusOf(id)?.name ?? '';
  const order = sendOrder({
    operation: 'start_livestream',
    body: { livestream: `#${id}`, wait_seconds: WAIT_SECONDS },
  });
  follow({ livestreamId: id, control: 'start', words: going.start, order }, { text: done.start(name) });
}

/** A recording of its own; what a Record Destination keeps goes on. The end of one cannot be taken back, so it is asked for. */
export function toggleRecording(id: number): void {
  if (statusOf(id)?.recording_on_request === true) openDialog({ kind: 'end-recording', id });
  else setRecording(id, true);
}

export function setRecording(id: number, isOn: boolean): void {
  const { going, done } = words.peek().acts;
  const name = statusOf(id)?.name ?? '';
  const body = { action: isOn ? ('start' as const) : ('stop' as const) };
  const order = sendOrder({ operation: 'runtimeRecord', params: { livestreamId: id }, body });
  follow(
    { livestreamId: id, control: 'record', words: isOn ? going.recordOn : going.recordOff, order },
    {
      text: isOn ? done.recordOn(name) : done.recordOff(name),
      undo: isOn ? () => setRecording(id, false) : undefined,
    },
  );
}

/** IN, then OUT, which asks for the name of the clip. */
export function mark(id: number): void {
  const now = serverNow();
  const from = marks.peek().get(id);
  if (from === undefined) {
    marks.value = new Map([...marks.peek(), [id, now]]);
    const name = statusOf(id)?.name ?? '';
    announce(words.peek().acts.done.markIn(name, clockText(now, shownZone.peek())));
    return;
  }
  marks.value = new Map([...marks.peek()].filter(([each]) => each !== id));
  openDialog({ kind: 'clip', id, from, to: now });
}
