/** Times as `datetime-local` fields have them. */
import { instantsOf } from './zone.ts';

/** The instant of a wall-clock time: the first of two where the clock is put back; undefined where it is skipped or not typed yet. */
export function instantOf(local: string, zone: string): string | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?/u
    .exec(local)
    ?.slice(1)
    .map((part) => Number(part ?? 0));
  if (parts === undefined) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const [instant] = instantsOf({ year, month, day, hour, minute, second }, zone);
  return instant === undefined ? undefined : new Date(instant).toISOString();
}
