/**
 * Decodes logo files in an ffmpeg of their own: a file that breaks a decoder ends that process, and not the runner with its stream on air.
 */
import { open } from 'node:fs/promises';
import { AppError } from '../../../domain/base/errors.ts';
import type { FileSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { Bitmap } from '../../media/frames/overlay.ts';
import { IMAGE_HEAD_BYTES, imageDemuxer, logoArgs, parsePam } from '../../media/arguments/still-args.ts';
import type { Size } from '../../media/frames/placement.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { runOneShot, type StillError } from '../process/one-shot.ts';

/** Decoding takes 70 ms, on a machine with more work than it can do seconds; the owner waits 8 s for a change. */
const LIMIT_MS = 4000;

/** Resolves with premultiplied pixels, in the size for this frame. Throws AppError rule_violated (the file), timeout. */
export async function loadLogo(children: ChildProcesses, { filename, path }: FileSpec, frame: Size): Promise<Bitmap> {
  const demuxer = imageDemuxer(await readHead(filename, path));
  if (demuxer === undefined)
    throw new AppError('rule_violated', `The logo "${filename}" is neither a PNG nor a JPEG picture; choose another.`);
  // A logo has a fifth of each side at most, four bytes a pixel, and a header.
  const maxBytes = frame.width * frame.height + 1024;
  try {
    const args = logoArgs(path, demuxer, frame);
    return parsePam(await runOneShot(children, { name: 'logo', args, reads: path, limitMs: LIMIT_MS, maxBytes }));
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { upstream } = error as StillError;
    const detail = `The logo "${filename}" cannot be decoded; the file is damaged. Upload it again, or choose another.`;
    throw new AppError('rule_violated', detail, { cause: error, ...(upstream !== undefined && { upstream }) });
  }
}

async function readHead(filename: string, path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(IMAGE_HEAD_BYTES), 0, IMAGE_HEAD_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new AppError('rule_violated', `The logo "${filename}" cannot be read on this Device (${code}).`);
  }
}
