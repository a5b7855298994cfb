/** The media files of the tracks of one CMAF or DASH Destination: a folder a track, a file a segment. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../../../atomic-file.ts';
import type { TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import type { ListedPeriod, Presentation } from '../../../media/manifests/presentation.ts';

/** The part of a presentation that is on the disk. */
export interface Kept extends Pick<Presentation, 'periods' | 'segments'> {
  nextSequence: number;
  /** Number of the oldest segment whose files are kept. */
  oldest: number;
}

export class TrackFiles {
  private readonly dir: string;
  private readonly suffix: string;
  private readonly trackIds: readonly number[];

  /** `suffix`: end of all names of a run. Throws the error of the filesystem. */
  constructor(dir: string, suffix: string, trackIds: readonly number[]) {
    this.dir = dir;
    this.suffix = suffix;
    this.trackIds = trackIds;
    for (const id of trackIds) mkdirSync(join(dir, String(id)), { recursive: true });
  }

  write(trackId: string, sequence: number, bytes: Buffer): void {
    writeAtomic(join(this.dir, trackId, this.nameOf(sequence)), bytes);
  }

  pathOf(trackId: number, sequence: number): string {
    return join(this.dir, String(trackId), this.nameOf(sequence));
  }

  /** Keeps the initialisation segments of a period that begins with this number; `former` are those of the period before. */
  keepInits(
    inits: ReadonlyMap<string, TrackInit>,
    former: ListedPeriod['inits'] | undefined,
    sequence: number,
  ): ListedPeriod['inits'] {
    const listed: ListedPeriod['inits'] = {};
    for (const [id, { bytes, codecs, timescale, width, height, colour, sampleRate, channels }] of inits) {
      const name = this.keepInit(id, bytes, former?.[Number(id)]?.name, sequence);
      const facts = { width, height, colour, sampleRate, channels };
      const known = Object.entries(facts).filter(([, value]) => value !== undefined);
      listed[Number(id)] = { name, codecs, timescale, ...Object.fromEntries(known) };
    }
    return listed;
  }

  /** Returns its name. An unchanged initialisation segment keeps it: players would set up their decoders again for nothing. */
  private keepInit(trackId: string, bytes: Buffer, former: string | undefined, sequence: number): string {
    const folder = join(this.dir, trackId);
    if (former !== undefined && existsSync(join(folder, former)) && readFileSync(join(folder, former)).equals(bytes))
      return former;
    const name = `init-${sequence}${this.suffix}.mp4`;
    writeAtomic(join(folder, name), bytes);
    return name;
  }

  /**
   * Removes segments that have left the list, and periods with the last that needs them. Files stay for the length of the list after they
   * have left it: a slow player may still be fetching one (RFC 8216 §6.2.2).
   */
  removeOld(index: Kept): void {
    const keep = Math.max(index.oldest, index.segments[0]!.sequence - index.segments.length - 1);
    const names = Array.from({ length: keep - index.oldest }, (_, i) => this.nameOf(index.oldest + i));
    index.oldest = keep;
    while (index.periods.length > 1 && index.periods[1]!.firstSequence <= keep) {
      const gone = Object.values(index.periods.shift()!.inits).map(({ name }) => name);
      const needed = initNames(index);
      names.push(...gone.filter((name) => !needed.has(name)));
    }
    for (const id of this.trackIds) for (const name of names) rmSync(join(this.dir, String(id), name), { force: true });
  }

  /** Removes files that a killed runner had written but not listed, or had no time to delete. */
  removeUnlisted(index: Kept): void {
    const { oldest, nextSequence, segments } = index;
    const inits = initNames(index);
    const withParts = new Set(segments.flatMap(({ live, sequence }) => (live === undefined ? [] : [sequence])));
    for (const id of this.trackIds) {
      const folder = join(this.dir, String(id));
      for (const name of readdirSync(folder)) {
        const sequence = Number.parseInt(name, 10);
        const isStray =
          name.endsWith('.tmp') ||
          sequence < oldest ||
          sequence >= nextSequence ||
          (/^\d+\.\d/u.test(name) && !withParts.has(sequence));
        if (isStray || (name.startsWith('init-') && !inits.has(name))) rmSync(join(folder, name), { force: true });
      }
    }
  }

  private nameOf(sequence: number): string {
    return `${sequence}${this.suffix}.m4s`;
  }
}

function initNames({ periods }: Kept): Set<string> {
  return new Set(periods.flatMap(({ inits }) => Object.values(inits).map(({ name }) => name)));
}
