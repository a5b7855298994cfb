/**
 * Keeps small pictures of a run on its Device: one a minute, and at an event the last one before it and one after it. A disk that refuses
 * costs pictures and nothing else.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LivePicture, PictureWidth } from '../../domain/shapes/broadcasts/live-picture.ts';
import { hourOf, pictureName, picturesDir } from './picture-files.ts';

/** A picture of it has 5-8 kB: some 10 MB a day. */
const WIDTH: PictureWidth = 320;
/** How old the picture before an event can be. One of a raw frame takes 2 ms. */
const LOOK_MS = 5000;
const MINUTE_LOOKS = 12;
/** A keyframe that is copied is decoded by an ffmpeg, for 80 ms of a core. */
const COPIED_LOOK_MS = 300_000;
/** Viewers see by then what an event has changed. */
const AFTER_MS = 2000;
/** A source that comes and goes has an event a second. */
const BETWEEN_EVENTS_MS = 5000;
/** Many copies begin anew together with their process, and have other work to do then. */
const COPIED = { betweenEventsMs: 60_000, spreadMs: 8000 };

export interface PictureWriterDeps {
  deviceDir: string;
  livestreamId: number;
  /** Nothing is decoded: each picture is dear. */
  isCopied: boolean;
  /** Rejects where there is no picture. */
  take(width: PictureWidth): Promise<Pick<LivePicture, 'jpeg' | 'takenAt'>>;
}

export class PictureWriter {
  private readonly deps: PictureWriterDeps;
  private readonly timers = new Set<NodeJS.Timeout>();
  private looks = 0;
  private last: Pick<LivePicture, 'jpeg' | 'takenAt'> | undefined;
  /** The instant of the frame that was written last: the same one is not written twice. */
  private writtenAt: number | undefined;
  /** An instant of performance.now(). */
  private eventAt = -Infinity;
  private isClosed = false;

  constructor(deps: PictureWriterDeps) {
    this.deps = deps;
  }

  start(): void {
    this.timers.add(setInterval(() => void this.look(), this.deps.isCopied ? COPIED_LOOK_MS : LOOK_MS));
  }

  close(): void {
    this.isClosed = true;
    for (const timer of this.timers) clearTimeout(timer);
  }

  /** Something has happened that people will ask about. */
  noteEvent(): void {
    const { isCopied } = this.deps;
    const now = performance.now();
    if (this.isClosed || now - this.eventAt < (isCopied ? COPIED.betweenEventsMs : BETWEEN_EVENTS_MS)) return;
    this.eventAt = now;
    if (this.last !== undefined) void this.write(this.last, true);
    const afterMs = AFTER_MS + (isCopied ? Math.random() * COPIED.spreadMs : 0);
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.keep(true);
    }, afterMs);
    this.timers.add(timer);
  }

  private async look(): Promise<void> {
    const isDue = this.deps.isCopied || this.looks % MINUTE_LOOKS === 0;
    this.looks += 1;
    if (isDue) await this.keep(false);
    else this.last = await this.taken();
  }

  private async keep(isOfEvent: boolean): Promise<void> {
    const picture = await this.taken();
    if (picture === undefined) return;
    if (!this.deps.isCopied) this.last = picture;
    await this.write(picture, isOfEvent);
  }

  private taken(): Promise<Pick<LivePicture, 'jpeg' | 'takenAt'> | undefined> {
    // Before the first frame, after the last one, and of sound alone there is none.
    return this.deps.take(WIDTH).catch(() => undefined);
  }

  private async write({ jpeg, takenAt }: Pick<LivePicture, 'jpeg' | 'takenAt'>, isOfEvent: boolean): Promise<void> {
    if (takenAt === this.writtenAt || this.isClosed) return;
    this.writtenAt = takenAt;
    const atSeconds = Math.floor(takenAt / 1000);
    const { deviceDir, livestreamId } = this.deps;
    const dir = join(picturesDir(deviceDir, livestreamId), String(hourOf(atSeconds)));
    try {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      await writeFile(join(dir, pictureName({ atSeconds, isOfEvent })), jpeg, { mode: 0o600 });
    } catch {
      // The next minute tries again.
    }
  }
}
