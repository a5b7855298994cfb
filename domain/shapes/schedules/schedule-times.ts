/** The two names of the times of a Schedule in inputs. */
import { invalidInput } from '../../base/errors.ts';
import { instantInput } from '../../time/instant.ts';

const zone = 'timezone';
/** setUpBroadcast has the second pair of names alone, because its start is another thing. */
export const timeInputs = {
  start: instantInput('Or start_at.', zone).optional(),
  end: instantInput('', zone).optional().describe('Or end_at, likewise.'),
  start_at: instantInput('', zone).optional().describe('Or start, likewise.'),
  end_at: instantInput('', zone).optional().describe('Or end, likewise.'),
};
type Times = { [F in keyof typeof timeInputs]?: string | undefined };

/** Fields whose times have the names of the row. */
export type Timed<T> = Omit<T, 'start_at' | 'end_at'> & { start: string; end: string };

/** The times under their names in the row, for those that were sent. Throws AppError invalid_input for one that was sent twice. */
export function timesSent<T extends Times>({ start_at, end_at, ...others }: T): Omit<T, 'start_at' | 'end_at'> {
  const sent = { start: start_at, end: end_at };
  for (const name of ['start', 'end'] as const) {
    if (sent[name] === undefined) delete sent[name];
    else if (others[name] !== undefined)
      throw invalidInput([{ field: name, code: 'one_of', message: `is the same as ${name}_at; send one of them` }]);
  }
  return { ...others, ...sent };
}

/** Does the same where both are needed. Throws AppError invalid_input for one that is missing. */
export function timesNeeded<T extends Times>(fields: T): Timed<T> {
  const sent = timesSent(fields);
  const { start, end } = sent as Times;
  if (start !== undefined && end !== undefined) return { ...sent, start, end };
  const missing = [...(start === undefined ? ['start'] : []), ...(end === undefined ? ['end'] : [])];
  throw invalidInput(missing.map((field) => ({ field, code: 'required', message: 'is required' })));
}
