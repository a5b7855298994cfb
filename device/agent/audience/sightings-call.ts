/** Takes what another process of this machine has seen at its port. */
import { AppError } from '../../../domain/base/errors.ts';
import { isPlain } from '../../../domain/base/schema.ts';
import { boolean, list, numberFrom, oneOf, optional, orElse, shapeOf, textOf } from '../../../domain/reported/forms.ts';
import { count, rowId, understood } from '../../../domain/reported/fields.ts';
import { TOLD_APART_BY } from '../../../domain/shapes/broadcasts/audience.ts';
import type { AgentApp } from '../recording-api.ts';
import type { Audience } from './audience.ts';
import type { TimedCmcd, Sighting } from '../../delivery/audience/sightings.ts';

const flag = optional(boolean);
const text = optional(textOf(1000));
const number = optional(numberFrom(0));
const cmcd = shapeOf<TimedCmcd>()({
  agoMs: count,
  bl: number,
  bs: flag,
  su: flag,
  ot: text,
  msd: number,
  bsd: number,
  e: text,
  sta: text,
  ts: number,
});
const sightings = list(
  shapeOf<Sighting>()({
    livestreamId: rowId,
    publishingId: rowId,
    by: oneOf(TOLD_APART_BY),
    key: textOf(20_000),
    agent: textOf(1000),
    folders: list(textOf(200), 100),
    isCached: boolean,
    hasAsked: orElse(boolean, true),
    cmcd: list(cmcd, 1000),
  }),
  100_000,
);

export function sightingsCall(app: AgentApp, audience: Pick<Audience, 'take'>): void {
  app.post('/sightings', async (context) => {
    const body: unknown = await context.req.json();
    const seen = isPlain(body) ? sightingsIn(body['sightings']) : undefined;
    if (seen === undefined)
      throw new AppError('invalid_input', 'The body is not { sightings: [{ livestreamId, … }, …] }.');
    audience.take(seen);
    return context.json({});
  });
}

/** Undefined for what has not the form. */
function sightingsIn(given: unknown): Sighting[] | undefined {
  try {
    return understood('sightings', sightings, given);
  } catch {
    // Its process is of another version, and nobody is counted by it until it is replaced.
    return undefined;
  }
}
