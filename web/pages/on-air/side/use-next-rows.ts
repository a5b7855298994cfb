/** Asks for the starts and actions of the next hours. */
import { useComputed } from '@preact/signals';
import { useList } from '../../../api/reads.ts';
import { moment } from '../../../live/clock.ts';
import { nextRows, WINDOW_MS, type NextRow } from './next-rows.ts';

/** The window of what is asked for moves on by so much at a time. */
const STEP_MS = 600_000;

export function useNextRows(): readonly NextRow[] {
  // A question that changed each second would be asked each second.
  const step = useComputed(() => Math.floor(moment.value / STEP_MS)).value * STEP_MS;
  const from = new Date(step).toISOString();
  const to = new Date(step + WINDOW_MS + STEP_MS).toISOString();
  const occurrences = useList('getScheduleOccurrences', { params: { from, to }, pageSize: 500 });
  const actions = useList('getAllPlannedActions', { params: { from, to }, pageSize: 500 });
  const minute = useComputed(() => Math.floor(moment.value / 1000)).value * 1000;
  return nextRows(occurrences.rows, actions.rows, minute);
}
