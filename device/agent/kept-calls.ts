/** Calls for the curves and the pictures that the runs of this Device have kept. */
import type { Context } from 'hono';
import { AppError } from '../../domain/base/errors.ts';
import { MAX_POINTS } from '../../domain/shapes/reports/curves.ts';
import { MAX_KEPT_PICTURES, sentKeptPicture } from '../../domain/shapes/reports/kept-pictures.ts';
import type { AgentApp } from './recording-api.ts';
import type { KeptFigures } from './runs/kept-figures.ts';

export function keptCalls(app: AgentApp, kept: KeptFigures): void {
  app.get('/curves/:livestreamId', async (context) => {
    const { livestreamId, most, ...range } = wantedOf(context, 'points');
    return context.json(await kept.curves(livestreamId, { ...range, points: Math.min(most, MAX_POINTS) }));
  });

  app.get('/pictures/:livestreamId', async (context) => {
    const { livestreamId, most, ...range } = wantedOf(context, 'most');
    const wanted = { ...range, most: Math.min(most, MAX_KEPT_PICTURES) };
    return context.json({ pictures: (await kept.pictures(livestreamId, wanted)).map(sentKeptPicture) });
  });
}

/** Throws AppError invalid_input. */
function wantedOf(
  context: Context,
  bound: 'points' | 'most',
): { livestreamId: number; fromSeconds: number; toSeconds: number; most: number } {
  const { from, to, [bound]: most } = context.req.query();
  const numbers = [context.req.param('livestreamId'), from, to, most].map(Number);
  if (!numbers.every((given) => Number.isSafeInteger(given) && given > 0))
    throw new AppError('invalid_input', `from and to are seconds since 1970, ${bound} is a number from 1.`);
  const [livestreamId, fromSeconds, toSeconds, count] = numbers as [number, number, number, number];
  return { livestreamId, fromSeconds, toSeconds, most: count };
}
