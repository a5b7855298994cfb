/** The times that are sent of the form of a planned action: an instant, or an offset at each occurrence of a Schedule. */
import type { Draft } from '../../ui/form/draft.ts';
import { bodyOf } from '../../ui/form/values.ts';

type Body = Record<string, unknown>;

/** The form keeps what was typed for the other kind; the server takes one of the two. */
export function withOneTime(body: Body, { fields, values, row }: Pick<Draft, 'fields' | 'values' | 'row'>): Body {
  const { execute_at, scheduleId: _, at: __, ...others } = body;
  const whole = bodyOf(fields, values.peek());
  const { scheduleId, at } = whole;
  if (scheduleId === undefined) return { ...others, ...(execute_at !== undefined && { execute_at }) };
  const isNew = row === undefined || 'scheduleId' in body || 'at' in body;
  return isNew ? { ...others, scheduleId, at: { from: 'start', ...(at as Body | undefined) } } : others;
}
