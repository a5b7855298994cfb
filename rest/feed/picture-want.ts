/** The pictures that a page wants, as its query names them. */
import { invalidInput } from '../../domain/base/errors.ts';
import { PICTURE_WIDTHS, type PictureWidth } from '../../domain/shapes/broadcasts/live-picture.ts';

export interface PictureWant {
  livestreamId: number;
  width: PictureWidth;
  /** From one picture to the next. */
  periodMs: number;
}

/** `<livestreamId>:<width>:<pictures a second>` */
const WANT = /^(\d{1,10}):(\d{1,4}):(\d{1,2}(?:\.\d{1,20})?)$/u;
/** The id has four bytes before each picture. */
const MAX_ID = 0xff_ff_ff_ff;
const MAX_FPS = 10;
/** Pictures a second of one connection: more than its page can paint. */
const MAX_TOTAL_FPS = 60;
/** A timer takes no more than 24 days. */
const MAX_PERIOD_MS = 3_600_000;
const MAX_QUOTED = 100;

/** Throws AppError invalid_input. Whoever wants more than 60 pictures a second gets fewer of each. */
export function parseWants(query: URLSearchParams): PictureWant[] {
  const unknown = [...query.keys()].find((name) => name !== 'want');
  if (unknown !== undefined)
    throw invalidInput([
      {
        field: unknown.slice(0, MAX_QUOTED),
        code: 'unknown_field',
        message: 'is no parameter here; there is want',
        allowed: ['want'],
      },
    ]);
  const sent = query.getAll('want');
  if (sent.length === 0)
    throw invalidInput([
      { field: 'want', code: 'required', message: 'is required: <livestreamId>:<320|640>:<fps>, with commas between' },
    ]);
  // The page that asks twice for the same picture gets it once, at the higher rate.
  const rates = new Map<string, { livestreamId: number; width: PictureWidth; fps: number }>();
  for (const text of sent.flatMap((list) => list.split(','))) {
    const want = parseWant(text);
    const key = `${want.livestreamId}:${want.width}`;
    if ((rates.get(key)?.fps ?? 0) < want.fps) rates.set(key, want);
  }
  const total = [...rates.values()].reduce((sum, { fps }) => sum + fps, 0);
  const stretch = Math.max(1, total / MAX_TOTAL_FPS);
  return [...rates.values()].map(({ livestreamId, width, fps }) => {
    return { livestreamId, width, periodMs: Math.min(MAX_PERIOD_MS, (1000 * stretch) / fps) };
  });
}

function parseWant(text: string): { livestreamId: number; width: PictureWidth; fps: number } {
  const [, id, side, rate] = WANT.exec(text) ?? [];
  const livestreamId = Number(id);
  const width = PICTURE_WIDTHS.find((known) => known === Number(side));
  const fps = Number(rate);
  if (livestreamId >= 1 && livestreamId <= MAX_ID && width !== undefined && fps > 0 && fps <= MAX_FPS)
    return { livestreamId, width, fps };
  const quoted = JSON.stringify(text.slice(0, MAX_QUOTED));
  const message = `has ${quoted} in place of <livestreamId>:<${PICTURE_WIDTHS.join('|')}>:<fps above 0, at most ${MAX_FPS}>`;
  throw invalidInput([{ field: 'want', code: 'invalid_format', message }]);
}
