/**
 * Keeps small pictures of a run on its Device: one a minute, and at an event the last one before it and one after it. Of a copied broadcast,
 * which decodes nothing, it keeps coded keyframes, as many as a day's bytes allow. A disk that refuses costs pictures and nothing else.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PictureToKeep } from '../../domain/shapes/reports/kept-pictures.ts';
import { hourOf, pictureName, picturesDir } from './picture-files.ts';

/** How old the picture before an event can be. One of a raw frame takes 2 ms. */
const LOOK_MS = 5000;
const MINUTE_LOOKS = 12;
/** Viewers see by then what an event has changed. */
const AFTER_MS = 2000;
/** A source that comes and goes has an event a second. */
const BETWEEN_EVENTS_MS = 5000;
/** Keyframes have 30 to 300 kB: behind a large one looks are left out, so that a day has 10 MB. */
const CODED = { lookMs: 300_000, betweenEventsMs: 60_000, bytesPerLook: 35_000 };

export interface PictureWriterDeps {
  deviceDir: string;
  livestreamId: number;
  /** Pictures are coded keyframes, of which the last is always at hand. */
  isCopied: boolean;
  /** Rejects where there is no picture. */
  take(): Promise<PictureToKeep>;
}

export class PictureWriter {
  private readonly deps: PictureWriterDeps;
  private readonly timers = new Set<NodeJS.Timeout>();
  private looks = 0;
  /** Undefined in a copied broadcast. */
  private last: PictureToKeep | undefined;
  /** The one that was written last: it is not written twice. */
  private written: PictureToKeep | undefined;
  /** An instant of performance.now(). */
  private eventAt = -Infinity;
  private looksLeftOut = 0;
  private isClosed = false;

  constructor(deps: PictureWriterDeps) {
    this.deps = deps;
  }

  start(): void {
    this.timers.add(setInterval(() => void this.look(), this.deps.isCopied ? CODED.lookMs : LOOK_MS));
  }

  close(): void {
    this.isClosed = true;
    for (const timer of this.timers) clearTimeout(timer);
  }

  /** Something has happened that people will ask about. */
  noteEvent(): void {
    const { isCopied } = this.deps;
    const now = performance.now();
    if (this.isClosed || now - this.eventAt < (isCopied ? CODED.betweenEventsMs : BETWEEN_EVENTS_MS)) return;
    this.eventAt = now;
    if (isCopied) void this.keep(true);
    else if (this.last !== undefined) void this.write(this.last, true);
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.keep(true);
    }, AFTER_MS);
    this.timers.add(timer);
  }

  private async look(): Promise<void> {
    if (this.looksLeftOut > 0) {
      this.looksLeftOut -= 1;
      return;
    }
    const isDue = this.deps.isCopied || this.looks % MINUTE_LOOKS === 0;
    this.looks += 1;
    if (isDue) await this.keep(false);
    else this.last = await this.taken();
  }

  private async keep(isOfEvent: boolean): Promise<void> {
    const picture = await this.taken();
    if (picture === undefined) return;
    if (!this.deps.isCopied) this.last = picture;
    else this.looksLeftOut = Math.ceil(picture.bytes.length / CODED.bytesPerLook) - 1;
    await this.write(picture, isOfEvent);
  }

  private taken(): Promise<PictureToKeep | undefined> {
    // Before the first frame, after the last one, and of sound alone there is none.
    return this.deps.take().catch(() => undefined);
  }

  private async write(picture: PictureToKeep, isOfEvent: boolean): Promise<void> {
    const { bytes, takenAt } = picture;
    const { deviceDir, livestreamId, isCopied } = this.deps;
    const isKnown =
      this.written !== undefined && (isCopied ? this.written.bytes.equals(bytes) : this.written.takenAt === takenAt);
    if (isKnown || this.isClosed) return;
    this.written = picture;
    const atSeconds = Math.floor(takenAt / 1000);
    const dir = join(picturesDir(deviceDir, livestreamId), String(hourOf(atSeconds)));
    try {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      await writeFile(join(dir, pictureName({ atSeconds, isOfEvent, isCoded: isCopied })), bytes, { mode: 0o600 });
    } catch {
      // The next minute tries again.
    }
  }
}
