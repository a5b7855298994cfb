/** One stream large: its picture at ten a second, its levels in numbers, its acts, and all about it in tabs. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { viewOf, type StreamView } from '../../../live/streams.ts';
import { MoveButton } from '../../../resource/move-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useKeys, type Keys } from '../../../ui/registry/keys.ts';
import { Tabs } from '../../../ui/tabs.tsx';
import { actsOn } from '../acts/act-list.ts';
import { confirmArmed, SOLO_TABS, type SoloTab } from '../acts/focus.ts';
import { Toolbar } from '../acts/toolbar.tsx';
import { describe } from '../tile/describe.ts';
import { InForce } from '../tile/in-force.tsx';
import { Meters } from '../tile/meters.tsx';
import { LiveCanvas } from '../tile/live-canvas.tsx';
import { useLevels } from '../tile/use-levels.ts';
import { words } from '../words.ts';
import { CuesTab } from './cues-tab.tsx';
import { DestinationsTab } from './destinations-tab.tsx';
import { EventsTab } from './events-tab.tsx';
import { FiguresTab } from './figures-tab.tsx';
import { GraphicsTab } from './graphics-tab.tsx';
import { Listen } from './listen.tsx';
import { NextTab } from './next-tab.tsx';
import { SourceTab } from './source-tab.tsx';
import { Viewers } from './viewers.tsx';

interface SoloProps {
  id: number;
  first: SoloTab;
  listens: boolean;
  onClose: () => void;
}

export function Solo({ id, first, listens, onClose }: SoloProps) {
  const view = viewOf(id);
  const tab = useSignal<SoloTab>(first);
  const isHeard = useSignal(listens);
  if (view === undefined) return null;
  const { name } = view.status.value;
  const w = words.value.solo;
  return (
    <Dialog title={w.title(name)} size="wide" onClose={onClose}>
      <div class="solo">
        <Stage id={id} view={view} isHeard={isHeard} tab={tab} />
        <Tabs
          label={w.about(name)}
          tabs={SOLO_TABS.map((each) => ({ name: each, label: w.tabs[each] }))}
          chosen={tab.value}
          onChoose={(next) => (tab.value = next)}
        >
          <Panel id={id} view={view} tab={tab.value} />
        </Tabs>
      </div>
    </Dialog>
  );
}

interface StageProps {
  id: number;
  view: StreamView;
  isHeard: { value: boolean };
  tab: { value: SoloTab };
}

/** Letters act here as on the wall. */
function Stage({ id, view, isHeard, tab }: StageProps) {
  const ref = useRef<HTMLDivElement>(null);
  const status = view.status.value;
  const health = view.health.value;
  const { levels, onLevels } = useLevels(view);
  const keys: Keys = {};
  for (const act of actsOn(status)) keys[act.key] = { does: act.text, act: act.press, isListed: false };
  // Solo is open already; what these would open is a tab of it, or the sound.
  const own: Keys = {
    Enter: { does: '', isListed: false, act: () => void confirmArmed(id) },
    Space: { does: '', isListed: false, act: () => (isHeard.value = !isHeard.value) },
    E: { does: '', isListed: false, act: () => (tab.value = 'events') },
  };
  useKeys(ref, words.value.solo.title(status.name), { ...keys, ...own });
  return (
    <div ref={ref} class="solo-stage" tabIndex={0} autofocus role="group" aria-label={status.name}>
      <div class="solo-picture">
        <LiveCanvas
          id={id}
          name={status.name}
          isOn={status.status === 2}
          isCloud={status.status === 2 && status.deviceId === null}
          isSolo
          onLevels={onLevels}
        />
        <Meters levels={levels} isWide />
        <InForce view={view} />
      </div>
      <p class="state" data-state={health.state}>
        {describe(health)}
      </p>
      <Viewers status={status} />
      <div class="acts">
        <Listen status={status} isOn={isHeard} />
        {status.status === 2 && status.deviceId !== null && (
          <MoveButton livestreamId={id} name={status.name} deviceId={status.deviceId} />
        )}
      </div>
      <Toolbar id={id} without={['solo', 'events', 'listen']} />
    </div>
  );
}

function Panel({ id, view, tab }: { id: number; view: StreamView; tab: SoloTab }) {
  const status = view.status.value;
  switch (tab) {
    case 'destinations':
      return <DestinationsTab status={status} />;
    case 'source':
      return <SourceTab status={status} />;
    case 'graphics':
      return <GraphicsTab status={status} />;
    case 'cues':
      return <CuesTab status={status} />;
    case 'next':
      return <NextTab status={status} />;
    case 'events':
      return <EventsTab id={id} />;
    case 'figures':
      return <FiguresTab view={view} />;
  }
}
