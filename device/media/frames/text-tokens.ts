/** The seven tokens of a text on the screen; every other per cent sign stands for itself. */

const TOKEN = /%([dmYHMSC])/gu;
const FIELDS = { d: 'day', m: 'month', Y: 'year', H: 'hour', M: 'minute', S: 'second' } as const;

export class TextTokens {
  private readonly wall: Intl.DateTimeFormat;

  /** `timezone` is an IANA name; one that this Node does not know counts as UTC. */
  constructor(timezone: string) {
    this.wall = wallClock(timezone) ?? wallClock('UTC')!;
  }

  /** Time changes a text that has tokens. */
  static hasTokens(text: string): boolean {
    return text.search(TOKEN) >= 0;
  }

  /** `nowMs` and `sinceMs`, the start of the chronometer, are milliseconds of the Unix epoch. */
  expand(text: string, nowMs: number, sinceMs: number): string {
    if (!TextTokens.hasTokens(text)) return text;
    const parts = Object.fromEntries(this.wall.formatToParts(nowMs).map(({ type, value }) => [type, value]));
    return text.replaceAll(TOKEN, (_, token: 'C' | keyof typeof FIELDS) =>
      token === 'C' ? chronometer(nowMs - sinceMs) : parts[FIELDS[token]]!,
    );
  }
}

/** HH:MM:SS, with more digits for the hours when two do not do. */
export function chronometer(elapsedMs: number): string {
  const seconds = Math.max(0, Math.floor(elapsedMs / 1000));
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}

function wallClock(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      day: '2-digit',
      month: '2-digit',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  } catch {
    // This Node does not know the zone, and the caller falls back to UTC.
    return undefined;
  }
}
