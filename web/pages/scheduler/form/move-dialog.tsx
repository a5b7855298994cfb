/** One of a series was moved: it alone, or the series. Nothing changes before the dialog that follows is saved. */
import { useMemo } from 'preact/hooks';
import { useList } from '../../../api/reads.ts';
import { language, words as shared } from '../../../i18n/words.ts';
import { serverNow } from '../../../live/clock.ts';
import { shownZone } from '../../../shown-zone.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { notify } from '../../../ui/registry/notices.ts';
import { dateText } from '../../../zone.ts';
import type { ScheduleRow } from '../data/occurrences.ts';
import { open, type Open } from '../data/state.ts';
import { words } from '../words.ts';
import { movedText } from './moved-text.ts';
import { carrySkips, endFirst, skipFirst } from './first-steps.ts';
import { seriesMove, seriesTimes } from './series-times.ts';

interface MoveDialogProps {
  moved: Extract<Open, { kind: 'move' }>;
  schedule: ScheduleRow;
  onClose: () => void;
}

/** The server answers a longer window with a refusal. */
const MAX_MS = 360 * 86_400_000;

/** Starts of what comes before the one that is moved; undefined while they are asked. */
function useEarlier({ start, scheduleId }: MoveDialogProps['moved']['occurrence']): readonly string[] | undefined {
  const from = useMemo(() => new Date(Math.max(serverNow(), Date.parse(start) - MAX_MS)).toISOString(), []);
  const isAhead = from < start;
  const { rows, isLoading } = useList('getScheduleOccurrences', {
    params: { scheduleId, from, to: start },
    pageSize: 500,
    isWanted: isAhead,
  });
  if (isAhead && isLoading) return undefined;
  return rows.flatMap((row) => (row.state === 'planned' && row.start! < start ? row.start! : []));
}

export function MoveDialog({ moved: { occurrence, times }, schedule, onClose }: MoveDialogProps) {
  const w = words.value;
  const earlier = useEarlier(occurrence);
  const { name, scheduleId, livestreamId } = occurrence;
  const { timezone } = schedule;
  const kind = earlier && seriesMove(schedule, occurrence, earlier, serverNow());
  const single = (): void => {
    const seed = { ...times, livestreamId, name: w.oneOf(name, times.start.slice(0, 10)), timezone };
    open.value = { kind: 'add', seed, first: () => skipFirst(occurrence) };
  };
  const split = (): void => {
    const { recurrence, description, idEncoderGroup, enabled } = schedule;
    const names = { livestreamId, name: w.onward(name, times.start.slice(0, 10)), description };
    const seed = { ...times, ...names, timezone, recurrence, idEncoderGroup, enabled };
    const then = async ({ id, start }: ScheduleRow): Promise<void> => {
      const lost = await carrySkips({ occurrence, start, timezone, to: id });
      if (lost > 0) notify(w.skipsLost(lost, name));
    };
    open.value = { kind: 'add', seed, first: () => endFirst(occurrence, schedule), then };
  };
  const series = (): void => {
    if (kind === 'split') split();
    else
      open.value = {
        kind: 'edit',
        scheduleId,
        times: kind === 'whole' ? seriesTimes(schedule, occurrence, times) : times,
      };
  };
  const from = dateText(occurrence.startMs, shownZone.value, language.value);
  const change = movedText(occurrence, times);
  return (
    <Dialog
      title={w.moved(name)}
      description={[change, w.movedText, kind && w.seriesMoves[kind](from, earlier!.length)].filter(Boolean).join(' ')}
      onClose={onClose}
    >
      <footer class="dialog-foot">
        <Button onPress={onClose}>{shared.value.ui.cancel}</Button>
        <Button onPress={single}>{w.moveOne}</Button>
        <Button kind="main" busy={kind === undefined && w.busy} onPress={series}>
          {w.moveAll}
        </Button>
      </footer>
    </Dialog>
  );
}
