/** Every act on a stream: its words, its key, what it does, and whether this person may. One list for toolbar, keys and palette. */
import { can } from '../../../api/can.ts';
import { unknownRows } from '../../../live/attention.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { hrefOf } from '../../../route.ts';
import { words } from '../words.ts';
import type { Act } from './act.ts';
import { acknowledgeStream } from './later.ts';
import { mark, marks } from './broadcast.ts';
import { armed, disarm, openDialog } from './focus.ts';
import { runtimeActs } from './runtime-acts.ts';

/** Left out are acts that the role, or a read-only server, does not have. */
export function actsOn(status: LivestreamStatus): Act[] {
  const { livestreamId: id } = status;
  return [...runtimeActs(status), ...broadcastActs(status), ...viewActs(status)].map((act) => ({
    ...act,
    press: () => {
      // Enter, a moment later, must not do an earlier act.
      if (armed.peek()?.act !== act.id) disarm();
      if (act.why === undefined) act.press();
    },
    id: `${id} ${act.id}`,
  }));
}

function broadcastActs({ livestreamId: id, name, status, recordingId }: LivestreamStatus): Act[] {
  const w = words.value.acts;
  const isMarked = marks.value.has(id);
  const isKnown = unknownRows(id).length === 0;
  const acts: (Act & { isAllowed: boolean })[] = [
    {
      id: 'mark',
      text: isMarked ? w.markOut : w.markIn,
      label: isMarked ? w.names.markOut(name) : w.names.markIn(name),
      key: 'M',
      icon: 'scissors',
      why: recordingId === null ? w.noRecording : undefined,
      press: () => mark(id),
      isAllowed: can('createClip'),
    },
    {
      id: 'acknowledge',
      text: w.acknowledge,
      label: w.names.acknowledge(name),
      key: 'A',
      icon: 'bell-off',
      control: 'acknowledge',
      why: isKnown ? w.nothingToAcknowledge : undefined,
      press: () => acknowledgeStream(id),
      isAllowed: true,
    },
    {
      id: 'note',
      text: w.acknowledgeWith,
      label: w.acknowledgeWith,
      key: 'Shift A',
      icon: 'bell-off',
      isKeyOnly: true,
      why: isKnown ? w.nothingToAcknowledge : undefined,
      press: () => openDialog({ kind: 'note', id }),
      isAllowed: can('acknowledgeEvent'),
    },
    {
      id: 'stop',
      text: w.stop,
      label: w.names.stop(name),
      key: 'X',
      icon: 'square',
      control: 'stop',
      isDanger: true,
      why: status === 0 ? w.onAirOnly : undefined,
      press: () => openDialog({ kind: 'stop', id }),
      isAllowed: can('stop_livestream'),
    },
  ];
  return acts.filter(({ isAllowed }) => isAllowed);
}

function viewActs({ livestreamId: id, name, status }: LivestreamStatus): Act[] {
  const w = words.value.acts;
  return [
    {
      id: 'solo',
      text: w.solo,
      label: w.names.solo(name),
      key: 'Enter',
      icon: 'maximize',
      press: () => openDialog({ kind: 'solo', id, tab: 'destinations' }),
    },
    {
      id: 'events',
      text: w.events,
      label: w.names.events(name),
      key: 'E',
      icon: 'scroll-text',
      press: () => openDialog({ kind: 'solo', id, tab: 'events' }),
    },
    {
      id: 'edit',
      text: w.edit,
      label: w.names.edit(name),
      key: 'I',
      icon: 'pencil',
      press: () => (location.hash = hrefOf('live-streams', id)),
    },
    {
      id: 'listen',
      text: w.listen,
      label: w.names.listen(name),
      key: 'Space',
      icon: 'headphones',
      why: status === 2 ? undefined : w.onAirOnly,
      press: () => openDialog({ kind: 'solo', id, tab: 'destinations', listens: true }),
    },
  ];
}
