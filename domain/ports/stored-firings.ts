/** The form of stored firings, for rows that come from outside. */
import { z } from 'zod/v3';
import { OCCURRENCE_STATES } from '../shapes/schedules/schedule.ts';
import { idField, instantField } from '../base/schema.ts';

const count = z.number().int().nonnegative();
const text = z.string();

/** The id becomes the name of a folder on a Device. */
export const runId = text.regex(/^[\w-][\w.-]{0,99}$/u, 'is not the id of a run');

export const firing = z
  .object({
    id: idField,
    created_at: instantField,
    scheduleId: idField,
    livestreamId: idField,
    occurrence_start: instantField,
    occurrence_end: instantField,
    state: z.enum(OCCURRENCE_STATES),
    open: z.boolean(),
    aired: z.boolean(),
    runId: runId.nullable(),
    attempts: count,
    retry_at: instantField.nullable(),
    reasons: z.array(text),
  })
  .strict();

export const pastFiring = firing.omit({ open: true, aired: true, retry_at: true }).extend({ at: instantField });
