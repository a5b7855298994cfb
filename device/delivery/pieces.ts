/** The bytes of an answer in small pieces: bytes that a viewer does not take are not read. */
import { read } from 'node:fs';
import { promisify } from 'node:util';
import type { MediaAnswer } from './answers.ts';
import { turn } from './turns.ts';

/**
 * The memory that a viewer takes who does not read. The kernel's own buffers, some megabytes, make up for the pause between two pieces;
 * half as much costs a third of the throughput.
 */
const PIECE_BYTES = 32 << 10;

const readFd = promisify(read);

/**
 * A piece is valid until the next one is asked for: pieces of a file share one buffer. Ends early when the file is shorter than announced;
 * rejects with the error of the filesystem.
 */
export async function* piecesOf(
  { content, file, stream }: MediaAnswer,
  pieceBytes = PIECE_BYTES,
): AsyncGenerator<Buffer, void> {
  for await (const bytes of stream ?? []) yield* slicesOf(bytes, pieceBytes);
  if (content !== undefined) yield* slicesOf(content, pieceBytes);
  if (file === undefined) return;
  const { fd, first, last } = file;
  const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, last - first + 1));
  for (let from = first; from <= last;) {
    await turn();
    const { bytesRead } = await readFd(fd, buffer, 0, Math.min(buffer.length, last - from + 1), from);
    if (bytesRead === 0) return;
    from += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* slicesOf(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer, void> {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    await turn();
    yield bytes.subarray(from, from + pieceBytes);
  }
}
