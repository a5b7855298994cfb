/**
 * Keeps the reserve of a disk free from incoming files: uploads, clips, media and Recordings that another machine sends. They are refused
 * while less is free than the reserve (device/disk-reserve.ts), so that broadcasts and the journal go on.
 */
import { AppError } from '../domain/base/errors.ts';
import { diskSpaceOf, megabytes } from '../linux/disk-space.ts';
import { reserveOf } from './disk-reserve.ts';

/** Bytes that may come in between two looks at the disk: a small part of the reserve, and never more than 4 MB. */
const MAX_STRIDE_BYTES = 4 * 1024 * 1024;
const STRIDE_PART = 1 / 64;
/** ffmpeg tells nobody how much it writes, so the disk is looked at by time. */
const LOOK_MS = 200;

export class IncomingRoom {
  private readonly dir: string;
  private untilLook: number;

  private constructor(dir: string, stride: number) {
    this.dir = dir;
    this.untilLook = stride;
  }

  /** Makes room for `bytes`, as far as their number is known. The folder must exist. Rejects with AppError unavailable. */
  static async of(dir: string, bytes = 0): Promise<IncomingRoom> {
    return new IncomingRoom(dir, await assertRoom(dir, bytes));
  }

  /** It is called before `bytes` are written. Rejects with AppError unavailable. */
  async take(bytes: number): Promise<void> {
    this.untilLook -= bytes;
    if (this.untilLook < 0) this.untilLook = await assertRoom(this.dir, bytes);
  }

  /** The signal fires, with the AppError as its reason, once other writers have used the room up. */
  watch(): { signal: AbortSignal; end: () => void } {
    const full = new AbortController();
    const look = (): void => void assertRoom(this.dir, 0).catch((error: unknown) => full.abort(error));
    const timer = setInterval(look, LOOK_MS);
    return { signal: full.signal, end: () => clearInterval(timer) };
  }
}

/** Resolves with the bytes that may come in before the next look. */
async function assertRoom(dir: string, bytes: number): Promise<number> {
  const { free_bytes, size_bytes } = await diskSpaceOf(dir);
  const reserve_bytes = Math.round(reserveOf(size_bytes).record);
  if (free_bytes - bytes >= reserve_bytes) return Math.min(MAX_STRIDE_BYTES, reserve_bytes * STRIDE_PART);
  const rest = `${megabytes(reserve_bytes)} must stay free for what is on air`;
  throw new AppError(
    'unavailable',
    `The disk has no room for this: ${megabytes(free_bytes)} free, and ${rest}. Delete Assets or Recordings that are not needed, or make room on the machine; then it is taken again.`,
    { facts: { reason: 'disk', free_bytes, reserve_bytes } },
  );
}
