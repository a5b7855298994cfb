/**
 * How far a receiver has got of a copy: the last keyframes that have left, and the units since the last of them. It is kept in a file, so that
 * the successor of a killed runner, which its source gives the last group of pictures again, sends nothing twice.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { elementaryBytes, PACKET_BYTES } from '../../media/mpeg-ts/mpeg-ts.ts';
import { readCached } from '../../atomic-file.ts';
import type { PacketRun } from './fan-out.ts';

export interface SentPlace {
  /** The process that has sent it. */
  by: number;
  /** Names of the last keyframes, made of their media; the newest is the last; empty while that is uncertain. */
  keys: string[];
  /** Units since the last keyframe, that one among them, by pid. */
  units: [pid: number, count: number][];
}

/** Groups of pictures that a successor may be given again. */
const MAX_KEYS = 4;
/** Another attempt of the same runner begins with the present, as any receiver that joins. */
const THIS_RUNNER = performance.timeOrigin;
/** A successor sends so much again at most: a picture, and some sound. */
const KEEP_EVERY_MS = 40;
/** The file is written in place, with one write of this length. */
const FILE_BYTES = 512;

interface Waiting {
  pid: number;
  bytes: number;
  key: string | undefined;
  starts: boolean;
  /** Bytes of the stream at its end; undefined until it is in the stream. */
  end: number | undefined;
}

/** Each keyframe differs in its media; times and counters of a stream are of its runner. */
export function contentOf({ bytes }: Pick<PacketRun, 'bytes'>): string {
  const hash = createHash('sha1');
  for (let at = 0; at < bytes.length; at += PACKET_BYTES) hash.update(elementaryBytes(bytes, at));
  return hash.digest('base64url').slice(0, 16);
}

/** Reads what an earlier runner has kept; undefined where there is nothing, or nothing certain. */
export function readSent(file: string): SentPlace | undefined {
  const { by, keys, units } = (readCached(file) ?? {}) as Partial<SentPlace>;
  if (by === undefined || by === THIS_RUNNER || !Array.isArray(keys) || !Array.isArray(units)) return undefined;
  return keys.length > 0 ? { by, keys, units } : undefined;
}

export class SentUnits {
  private readonly fd: number | undefined;
  private readonly leader: number;
  private readonly counts = new Map<number, number>();
  private keys: string[] = [];
  private latest: string[] = [];
  private waiting: Waiting[] = [];
  private total = 0;
  private isChanged = false;
  private keptAt = -Infinity;

  /** `leader` is the pid whose keyframes the groups begin with. */
  constructor(file: string, leader: number) {
    this.leader = leader;
    this.fd = openedFile(file);
  }

  /** So many bytes of this run are about to be written to the stream: all of them, or none of one that has left before. */
  add(run: PacketRun, bytes: number): void {
    if (this.fd === undefined) return;
    const { pid, starts, key } = run;
    const isLeading = pid === this.leader && key;
    this.waiting.push({ pid, starts, bytes, key: isLeading ? contentOf(run) : undefined, end: undefined });
  }

  /** The stream has so many bytes more; what was added last is at its end. */
  grown(bytes: number): void {
    this.total += bytes;
    let end = this.total;
    for (let at = this.waiting.length - 1; at >= 0 && this.waiting[at]!.end === undefined; at -= 1) {
      this.waiting[at]!.end = end;
      end -= this.waiting[at]!.bytes;
    }
  }

  /** All but so many bytes of the stream have left. It is called again and again, also when nothing more has. */
  left(but: number): void {
    const until = this.total - but;
    const still = this.waiting.findIndex(({ end }) => end === undefined || end > until);
    const gone = this.waiting.splice(0, still < 0 ? this.waiting.length : still);
    for (const each of gone) this.count(each);
    this.isChanged ||= gone.length > 0;
    const now = performance.now();
    if (!this.isChanged || now - this.keptAt < KEEP_EVERY_MS) return;
    this.isChanged = false;
    this.keptAt = now;
    this.keep();
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
  }

  private count({ pid, key, starts }: Waiting): void {
    if (key !== undefined) {
      // A picture that stands still, or a clip that is short, gives the same keyframe again: none says which it was.
      this.keys = this.latest.includes(key) ? [] : [...this.keys.slice(1 - MAX_KEYS), key];
      this.latest = [...this.latest.slice(1 - MAX_KEYS), key];
      this.counts.clear();
    }
    if (starts) this.counts.set(pid, (this.counts.get(pid) ?? 0) + 1);
  }

  private keep(): void {
    const place: SentPlace = { by: THIS_RUNNER, keys: this.keys, units: [...this.counts] };
    const text = JSON.stringify(place);
    if (text.length > FILE_BYTES) return;
    try {
      writeSync(this.fd!, text.padEnd(FILE_BYTES), 0);
    } catch {
      // On a full disk a successor sends the last group of pictures again.
    }
  }
}

function openedFile(file: string): number | undefined {
  try {
    return openSync(file, 'w', 0o600);
  } catch {
    // As where nothing can be written: a successor sends the last group of pictures again.
    return undefined;
  }
}
