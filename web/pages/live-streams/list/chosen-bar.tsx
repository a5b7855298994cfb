/** The acts on the chosen Live streams. */
import { can } from '../../../api/can.ts';
import { Button } from '../../../ui/button.tsx';
import { useCommands } from '../../../ui/registry/commands.ts';
import { words } from '../words.ts';
import { isStartable, statusOf } from './live-status.ts';
import type { ManyAct } from './many-dialog.tsx';
import type { StreamRow } from './parts.ts';

const ACTS = ['start', 'stop', 'enable'] as const;

interface ChosenBarProps {
  rows: readonly StreamRow[];
  onAct: (act: ManyAct, rows: readonly StreamRow[]) => void;
  onNone: () => void;
}

export function ChosenBar({ rows, onAct, onNone }: ChosenBarProps) {
  const w = words.value;
  const fit: Record<ManyAct, StreamRow[]> = {
    start: can('start_livestream') ? rows.filter((row) => isStartable(statusOf(row))) : [],
    stop: can('stop_livestream') ? rows.filter((row) => !isStartable(statusOf(row))) : [],
    enable: can('updateLivestream') ? rows.filter((row) => !row.enabled) : [],
  };
  useCommands(() =>
    ACTS.filter((act) => fit[act].length > 0).map((act) => ({
      id: `chosen ${act}`,
      name: w.many[act](fit[act].length),
      details: w.chosen(rows.length),
      run: () => onAct(act, fit[act]),
    })),
  );
  if (rows.length === 0) return null;
  return (
    <div class="bar chosen-bar" role="group" aria-label={w.chosenBar}>
      <strong>{w.chosen(rows.length)}</strong>
      {ACTS.map(
        (act) =>
          fit[act].length > 0 && (
            <Button key={act} kind={act === 'stop' ? 'danger' : 'plain'} onPress={() => onAct(act, fit[act])}>
              {w.many[act](fit[act].length)}
            </Button>
          ),
      )}
      <Button kind="quiet" icon="x" onPress={onNone}>
        {w.chooseNone}
      </Button>
    </div>
  );
}
