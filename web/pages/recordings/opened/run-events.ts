/** The events of the run, asked for the time of the Recording. */
import type { RowOf } from '../../../api/operation-types.ts';
import { useList } from '../../../api/reads.ts';
import { runMarks, type RunEvent, type RunMark } from '../player/run-marks.ts';
import type { Recording } from './use-recording.ts';

/** More marks than this are no help on a bar. */
const MAX_EVENTS = 500;

export function useRunMarks(recording: Recording): RunMark[] {
  const { livestreamId, started_at: from, ended_at, duration_seconds: length } = recording;
  const { rows } = useList('getAllEvents', {
    params: { livestreamId, from, to: ended_at ?? undefined },
    sort: 'at',
    pageSize: MAX_EVENTS,
  });
  return runMarks(rows as readonly RowOf<'getAllEvents'>[] as readonly RunEvent[], from, length);
}
