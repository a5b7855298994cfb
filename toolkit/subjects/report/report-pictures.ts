/** Pictures that the Devices of a broadcast have kept: on the page of a report, and one alone. */
import { AppError } from '../../../domain/base/errors.ts';
import type { Control } from '../../../domain/ports/control.ts';
import { timesOf } from '../../../domain/rules/reports/report-times.ts';
import { MAX_KEPT_PICTURES, type KeptPicture } from '../../../domain/shapes/reports/kept-pictures.ts';
import type { WholeReport } from '../../../domain/shapes/reports/run-report.ts';
import { toIso } from '../../../domain/time/clock.ts';
import type { Reads } from '../../tool.ts';
import { secondsOf } from './report-curves.ts';
import { devicesUntil } from './report-facts.ts';

/** On the page of a report: some 250 kB. */
const PER_PAGE = 24;
/** A copied broadcast has a picture in five minutes. */
const LOOK_BACK_SECONDS = 600;

/** None where no Device has any, or none answers. */
export async function readPictures(
  control: Pick<Control, 'keptPictures'>,
  { livestreamId, from, to }: Pick<WholeReport, 'livestreamId' | 'from' | 'to'>,
  deviceIds: readonly number[],
): Promise<KeptPicture[]> {
  return (await control.keptPictures(livestreamId, deviceIds, { ...secondsOf({ from, to }), most: PER_PAGE })) ?? [];
}

export function pictureStrip(
  pictures: readonly KeptPicture[],
  { from, zone }: Pick<WholeReport, 'from' | 'zone'>,
): string[] {
  if (pictures.length === 0) return [];
  const time = timesOf(from, zone);
  const figures = pictures.map(({ atSeconds, isOfEvent, jpeg }) => {
    const caption = `${time(atSeconds * 1000)}${isOfEvent ? ', at an event' : ''}`;
    const source = `data:image/jpeg;base64,${jpeg.toString('base64')}`;
    return `<figure><img src="${source}" alt="What viewers saw at ${caption}" width="160"><figcaption>${caption}</figcaption></figure>`;
  });
  return [`<h2>What viewers saw</h2>\n<div class="pictures">${figures.join('')}</div>`];
}

/** The picture that was kept last before this instant. Throws AppError not_found, unavailable. */
export async function pictureBefore(
  { store, control }: { store: Reads; control: Pick<Control, 'keptPictures'> },
  livestream: { id: number; name: string },
  at: string,
): Promise<KeptPicture> {
  const toSeconds = Math.floor(Date.parse(at) / 1000) + 1;
  const deviceIds = await devicesUntil(store, livestream.id, at);
  const wanted = { fromSeconds: toSeconds - LOOK_BACK_SECONDS, toSeconds, most: MAX_KEPT_PICTURES };
  const pictures = await control.keptPictures(livestream.id, deviceIds, wanted);
  if (pictures === undefined && deviceIds.length > 0)
    throw new AppError(
      'unavailable',
      `No Device that Live stream "${livestream.name}" was on answers, and its pictures are kept there. Try again later.`,
    );
  const picture = pictures?.at(-1);
  if (picture !== undefined) return picture;
  throw new AppError(
    'not_found',
    `No picture of Live stream "${livestream.name}" is kept from the ten minutes before ${toIso(Date.parse(at))}. Its Device keeps those ` +
      'of the last seven days on air.',
  );
}
