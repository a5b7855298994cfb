/** One viewer's stream of pictures. Each is the newest when it is sent, and none waits in a queue: who reads slowly gets fewer. */
import type { Clock } from '../../domain/time/clock.ts';
import { whileAllowed } from './credential.ts';
import type { Credential } from './feed-reader.ts';
import { pictureFrame } from './picture-frame.ts';
import type { PictureSource } from './picture-source.ts';
import type { PictureWant } from './picture-want.ts';

/** Bytes that may wait for the viewer: four large pictures, or a wall of small ones. */
const MAX_UNREAD_BYTES = 128 * 1024;
/** A wall that is opened gets its first pictures one after the other: all at once would make runners and Devices wait for each other. */
const BETWEEN_FIRST_MS = 5;

export interface PictureStreamDeps {
  wants: readonly PictureWant[];
  source: PictureSource;
  credential: Pick<Credential, 'check' | 'shows'>;
  clock: Clock;
}

interface Tile {
  want: PictureWant;
  /** Instant of the last picture that was sent. */
  takenAt: number;
  isBusy: boolean;
}

export function pictureStream(deps: PictureStreamDeps): ReadableStream<Uint8Array> {
  const stream = new PictureStream(deps);
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => stream.begin(controller),
      pull: () => stream.resume(),
      cancel: () => stream.end(),
    },
    { highWaterMark: MAX_UNREAD_BYTES, size: ({ byteLength }) => byteLength },
  );
}

class PictureStream {
  private readonly deps: PictureStreamDeps;
  private readonly tiles: Tile[];
  /** Each cancels a timer. */
  private readonly timers = new Set<() => void>();
  /** Tiles whose turn came while the viewer was behind. */
  private readonly late = new Set<Tile>();
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private stopChecking: () => void = () => undefined;

  constructor(deps: PictureStreamDeps) {
    this.deps = deps;
    this.tiles = deps.wants.map((want) => ({ want, takenAt: 0, isBusy: false }));
  }

  begin(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller;
    this.tiles.forEach((tile, n) => this.turn(tile, this.deps.clock.now() + n * BETWEEN_FIRST_MS));
    this.stopChecking = whileAllowed(this.deps.credential, () => this.close());
  }

  /** The viewer has read something. */
  resume(): void {
    for (const tile of [...this.late]) {
      if (!this.isFree) return;
      this.late.delete(tile);
      void this.send(tile);
    }
  }

  end(): void {
    this.controller = undefined;
    this.stopChecking();
    for (const cancel of this.timers) cancel();
    this.timers.clear();
  }

  private get isFree(): boolean {
    return (this.controller?.desiredSize ?? 0) > 0;
  }

  /** `dueAt` is kept from turn to turn, so that late timers do not add up. */
  private turn(tile: Tile, dueAt: number): void {
    this.after(dueAt - this.deps.clock.now(), () => {
      void this.send(tile);
      this.turn(tile, Math.max(dueAt, this.deps.clock.now() - tile.want.periodMs) + tile.want.periodMs);
    });
  }

  private async send(tile: Tile): Promise<void> {
    if (tile.isBusy) return;
    if (!this.isFree) return void this.late.add(tile);
    const { livestreamId, width, periodMs } = tile.want;
    // It may have left the wall of a display meanwhile.
    if (this.deps.credential.shows?.(livestreamId) === false) return;
    tile.isBusy = true;
    const picture = await this.deps.source.newest(livestreamId, width, periodMs / 2);
    tile.isBusy = false;
    if (this.controller === undefined || picture === undefined || picture.takenAt === tile.takenAt) return;
    if (!this.isFree) return void this.late.add(tile);
    tile.takenAt = picture.takenAt;
    this.controller.enqueue(pictureFrame(livestreamId, picture));
  }

  private close(): void {
    const { controller } = this;
    this.end();
    controller?.close();
  }

  private after(delayMs: number, task: () => void): void {
    if (this.controller === undefined) return;
    const cancel = this.deps.clock.after(delayMs, () => {
      this.timers.delete(cancel);
      task();
    });
    this.timers.add(cancel);
  }
}
