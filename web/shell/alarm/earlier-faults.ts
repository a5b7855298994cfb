/** Events from before the page was opened, and from a break of the feed: who knows of which fault. They are asked for while there is a trouble. */
import { useEffect } from 'preact/hooks';
import { can } from '../../api/can.ts';
import { useList } from '../../api/reads.ts';
import { attention } from '../../live/attention.ts';
import { noteFaults } from '../../live/faults/known-faults.ts';

const EVERY_MS = 60_000;
const ROWS = 200;

export function useEarlierFaults(): void {
  const isWanted = can('getAllEvents') && attention.value.length > 0;
  const question = { pageSize: ROWS, everyMs: EVERY_MS, isWanted };
  const acknowledgements = useList('getAllEvents', { ...question, params: { kind: 'acknowledged' } }).rows;
  const latest = useList('getAllEvents', question).rows;
  useEffect(() => noteFaults(acknowledgements), [acknowledgements]);
  useEffect(() => noteFaults(latest), [latest]);
}
