/** The seven tokens of a text on the picture; every other per cent sign is one. */

const TOKEN = /%([dmYHMSC])/gu;
const FIELDS = { d: 'day', m: 'month', Y: 'year', H: 'hour', M: 'minute', S: 'second' } as const;

export class TextTokens {
  private readonly wall: Intl.DateTimeFormat;

  /** `timezone` is an IANA name; one that this Node does not know counts as UTC. */
  constructor(timezone: string) {
    this.wall = wallClock(timezone) ?? wallClock('UTC')!;
  }

  /** Whether time changes this text. */
  static hasTokens(text: string): boolean {
    return text.search(TOKEN) >= 0;
  }

  /** `nowMs` and `sinceMs`, when the chronometer began, are milliseconds of the Unix epoch. */
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
  const two = '2-digit';
  try {
    return new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
      ...{ day: two, month: two, year: 'numeric', hour: two, minute: two, second: two },
    });
  } catch {
    return undefined;
  }
}
