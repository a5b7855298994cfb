/** Chooses for an act that is pressed without a choice: the last of this window, else what is set for the stream. */

export interface BlackoutChoice {
  mode: 'Black Frame' | 'File';
  filename: string;
  keepAudio: boolean;
}

const DEFAULT_BLACKOUT: BlackoutChoice = { mode: 'Black Frame', filename: '', keepAudio: false };

interface Memory {
  blackout: BlackoutChoice;
  logo: { filename: string; position?: string } | undefined;
  text: string | undefined;
  cueSeconds: number;
  /** Milliseconds since 1970 at which the break ends that was opened here. */
  breakEndsAt: number | undefined;
}

const memories = new Map<number, Memory>();

export function memoryOf(id: number): Memory {
  const known = memories.get(id) ?? {
    blackout: DEFAULT_BLACKOUT,
    logo: undefined,
    text: undefined,
    cueSeconds: 30,
    breakEndsAt: undefined,
  };
  memories.set(id, known);
  return known;
}
