/** Every act on a stream: its words, its key, what it does, and whether this person may. One list for toolbar, keys and palette. */
import { can } from '../../../api/can.ts';
import { hasUnacknowledged } from '../../../live/attention.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { hrefOf } from '../../../route.ts';
import type { IconName } from '../../../ui/show/icon.tsx';
import { words } from '../words.ts';
import { acknowledgeStream, mark, marks } from './broadcast.ts';
import { openDialog, pressTwice } from './focus.ts';
import { memoryOf } from './memory.ts';
import type { Control } from './orders.ts';
import { cue, toggleBlackout, toggleLogo, toggleText } from './runtime.ts';

export interface Act {
  id: string;
  /** What the button shows. */
  text: string;
  /** Its name, with that of the stream. */
  label: string;
  key: string;
  icon: IconName;
  /** By what is in force and nothing else. */
  pressed?: boolean;
  control?: Control;
  isDanger?: boolean;
  /** Left out: it can be done. */
  why?: string | undefined;
  /** It has a key and no button. */
  isKeyOnly?: boolean;
  press: () => void;
}

/** Left out are acts that the role, or a read-only server, does not have. */
export function actsOn(status: LivestreamStatus): Act[] {
  const { livestreamId: id } = status;
  return [...runtimeActs(status), ...broadcastActs(status), ...viewActs(status)].map((act) => ({
    ...act,
    press: () => {
      if (act.why === undefined) act.press();
    },
    id: `${id} ${act.id}`,
  }));
}

function runtimeActs({ livestreamId: id, name, status, runtime }: LivestreamStatus): Act[] {
  const w = words.value.acts;
  const why = status === 2 ? undefined : w.onAirOnly;
  const twice = (act: string, fire: () => void) => (): void => pressTwice({ id, act, fire });
  const acts: (Act & { isAllowed: boolean })[] = [
    {
      id: 'blackout',
      text: w.blackout,
      label: w.names.blackout(name),
      key: 'B',
      icon: 'monitor-off',
      pressed: runtime.blackout !== 'Live',
      control: 'blackout',
      press: () => toggleBlackout(id),
      isAllowed: can('runtimeApplyBlackout'),
    },
    {
      id: 'logo',
      text: w.logo,
      label: w.names.logo(name),
      key: 'L',
      icon: 'image',
      pressed: runtime.logo !== null,
      control: 'logo',
      press: () => toggleLogo(id),
      isAllowed: can('runtimeApplyLogo'),
    },
    {
      id: 'logos',
      text: w.chooseLogo,
      label: w.chooseLogo,
      key: 'Shift L',
      icon: 'image',
      isKeyOnly: true,
      press: () => openDialog({ kind: 'logo', id }),
      isAllowed: can('runtimeApplyLogo'),
    },
    {
      id: 'text',
      text: w.text,
      label: w.names.text(name),
      key: 'T',
      icon: 'type',
      pressed: runtime.text !== null,
      control: 'text',
      press: () => toggleText(id),
      isAllowed: can('setLivestreamText'),
    },
    {
      id: 'words',
      text: w.writeText,
      label: w.writeText,
      key: 'Shift T',
      icon: 'type',
      isKeyOnly: true,
      press: () => openDialog({ kind: 'text', id }),
      isAllowed: can('setLivestreamText'),
    },
    {
      id: 'source',
      text: w.source,
      label: w.names.source(name),
      key: 'S',
      icon: 'arrow-left-right',
      control: 'source',
      press: () => openDialog({ kind: 'source', id }),
      isAllowed: can('runtimeApplySourceSwitch'),
    },
    {
      id: 'cueOut',
      text: w.cueOutFor(memoryOf(id).cueSeconds),
      label: w.names.cueOut(name),
      key: 'C',
      icon: 'megaphone',
      control: 'cueOut',
      press: twice('cueOut', () => cue(id, 'CueOut')),
      isAllowed: can('runtimePushMetadata'),
    },
    {
      id: 'cueIn',
      text: w.cueIn,
      label: w.names.cueIn(name),
      key: 'Shift C',
      icon: 'megaphone',
      control: 'cueIn',
      press: twice('cueIn', () => cue(id, 'CueIn')),
      isAllowed: can('runtimePushMetadata'),
    },
    {
      id: 'paths',
      text: w.paths,
      label: w.names.paths(name),
      key: 'D',
      icon: 'share-2',
      control: 'paths',
      press: () => openDialog({ kind: 'paths', id }),
      isAllowed: can('runtimeTogglePublishings'),
    },
  ];
  return acts.filter(({ isAllowed }) => isAllowed).map((act) => ({ ...act, why }));
}

function broadcastActs({ livestreamId: id, name, status, recordingId }: LivestreamStatus): Act[] {
  const w = words.value.acts;
  const isMarked = marks.value.has(id);
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
      why: hasUnacknowledged(id) ? undefined : w.nothingToAcknowledge,
      press: () => acknowledgeStream(id),
      isAllowed: true,
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
