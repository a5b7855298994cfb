/** Acts on what viewers see and hear, and where it goes. */
import { can } from '../../../api/can.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { words } from '../words.ts';
import type { Act } from './act.ts';
import { toggleRecording } from './broadcast.ts';
import { openDialog, pressTwice } from './focus.ts';
import { switchBack } from './later.ts';
import { memoryOf } from './memory.ts';
import { cue, toggleBlackout, toggleLogo, toggleText } from './runtime.ts';
import { sourceBefore } from './source-left.ts';

type Listed = Act & { isAllowed: boolean };

export function runtimeActs(status: LivestreamStatus): Act[] {
  const why = status.status === 2 ? undefined : words.value.acts.onAirOnly;
  return [...pictureActs(status), ...programActs(status)]
    .filter(({ isAllowed }) => isAllowed)
    .map((act) => ({ ...act, why: why ?? act.why }));
}

function pictureActs({ livestreamId: id, name, runtime }: LivestreamStatus): Listed[] {
  const w = words.value.acts;
  return [
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
  ];
}

function programActs(status: LivestreamStatus): Listed[] {
  const { livestreamId: id, name, recording_on_request } = status;
  const w = words.value.acts;
  const twice = (act: string, fire: () => void) => (): void => pressTwice({ id, act, fire });
  return [
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
      id: 'sourceBack',
      text: w.sourceBack,
      label: w.sourceBack,
      key: 'Shift S',
      icon: 'undo-2',
      control: 'source',
      isKeyOnly: true,
      why: sourceBefore(status) === undefined ? w.noSourceBefore : undefined,
      press: () => switchBack(id),
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
      id: 'record',
      text: w.record,
      label: w.names.record(name),
      key: 'R',
      icon: 'video',
      pressed: recording_on_request,
      control: 'record',
      press: () => toggleRecording(id),
      isAllowed: can('runtimeRecord'),
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
}
