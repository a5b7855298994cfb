/** One Recording. While it is written, its length and size are asked again: they are no changes of its row. */
import { call, dataIn } from '../../../api/call.ts';
import type { DataOf } from '../../../api/operation-types.ts';
import { useQuery } from '../../../api/query.ts';
import { useOne, type One } from '../../../api/reads.ts';
import { useRef } from 'preact/hooks';

export type Recording = DataOf<'getRecording'>;

const MEASURE_MS = 5000;

/** One that is being deleted is no longer asked for, and stays on the screen. */
export function useRecording(recordingId: number, isGoing: boolean): One<Recording> {
  const kept = useRef<Recording | undefined>(undefined);
  const one = useOne('getRecording', isGoing ? undefined : { recordingId });
  const isWritten = one.data?.status === 'recording';
  const measured = useQuery(
    ['recordings', 'measured', recordingId],
    async (signal) => dataIn((await call('getRecording', { params: { recordingId }, signal })).body) as Recording,
    { isWanted: isWritten, everyMs: MEASURE_MS },
  );
  if (one.data !== undefined) kept.current = (isWritten ? measured.data : undefined) ?? one.data;
  return { ...one, data: kept.current };
}
