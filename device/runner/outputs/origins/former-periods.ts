/**
 * Periods that an origin has from the run before, which was on another Device: a player of DASH needs the one that it plays until it is through,
 * and their segments are still there.
 */
import type { ListsSpec } from '../../../../domain/shapes/broadcasts/run-spec.ts';
import type { Clock } from '../../../../domain/time/clock.ts';

export interface FormerOptions {
  lists: ListsSpec | undefined;
  /** Players are through the former run so many milliseconds after it was read. */
  keptMs: number;
  /** Resolves with a file of the origin; undefined: it has none, or shows none. */
  read(name: string): Promise<string | undefined>;
  clock: Pick<Clock, 'now'>;
}

export class FormerPeriods {
  private readonly options: FormerOptions;
  private kept: Promise<{ periods: string; readAt: number }> | undefined;

  constructor(options: FormerOptions) {
    this.options = options;
  }

  /** Resolves with the manifest as it is to be sent; others than those of DASH stay as they are. */
  async before(name: string, text: string): Promise<string> {
    const { lists, keptMs, clock } = this.options;
    if (lists === undefined || lists.firstNumber === 0 || !name.endsWith('.mpd')) return text;
    this.kept ??= this.readPeriods(name, lists);
    const { periods, readAt } = await this.kept;
    const isOver = Math.abs(clock.now() - readAt) > keptMs;
    return isOver ? text : text.replace(/ *<Period /u, (begin) => periods + begin);
  }

  private async readPeriods(name: string, lists: ListsSpec): Promise<{ periods: string; readAt: number }> {
    const text = await this.options.read(name).catch(() => undefined);
    return { periods: periodsBefore(text ?? '', lists), readAt: this.options.clock.now() };
  }
}

/** Periods are called by the number of their first segment. */
function periodsBefore(manifest: string, { since, firstNumber }: ListsSpec): string {
  // Of another broadcast, whose times count from another instant.
  if (!manifest.includes(`availabilityStartTime="${since}"`)) return '';
  const periods = manifest.match(/ *<Period [^]*?<\/Period>\n/gu) ?? [];
  return periods.filter((period) => Number(/ id="(\d+)"/u.exec(period)?.[1]) < firstNumber).join('');
}
