/** What an ffmpeg may take of the machine, whatever its input makes it do. */
import { totalmem } from 'node:os';
import { DECODER_THREADS, MAX_PIXELS } from './input-rules.ts';
import { findProgram } from './programs.ts';

export const PRLIMIT = '/usr/bin/prlimit';

/** `read`: it takes in what strangers have made. `encode`: it makes renditions of our own raw frames. */
export type Work = 'read' | 'encode';

const GIGABYTE = 2 ** 30;
/** The dearest picture that is let in: four channels of 16 bits. */
const FRAME_BYTES = MAX_PIXELS * 8;
/** A decoder holds one for each thread; the one before, the one that is scaled and the next stand beside them. */
const FRAMES = DECODER_THREADS + 3;
/** What is neither: programs, packets, the result. */
const REST = GIGABYTE / 4;
/**
 * Bytes of memory that a process may write to (RLIMIT_DATA). Not of addresses (RLIMIT_AS): glibc reserves 64 MB of those for each thread
 * that allocates, so on a machine of 64 cores a small encoder has more of them than a large one on two. Measured with ffmpeg 5.1,
 * 10-bit HEVC in: 2160p 0.4 GB by three threads and 0.6 by eight, 4320p 1.1 and 1.9. Out, with threads for 64 cores: 2160p and 1080p of
 * x265 3.1 GB, 2160p of SVT-AV1 4.0, 2160p, 1080p and 720p of x264 0.8. A PNG of 5760x6000 pixels
 * of 64 bits takes 1.7 GB by three threads: it fits, and little more. Half of a small machine's memory at most, for the reader of
 * a hostile source must not have the others killed.
 */
function maxBytes(work: Work): number {
  return Math.floor(
    work === 'read' ? Math.min(3 * GIGABYTE, FRAMES * FRAME_BYTES + REST, totalmem() / 2) : 16 * GIGABYTE,
  );
}

/** Its pipes, its connections, and what it reads from: some dozen, of a clip one more for each file of the Recording. */
const MAX_FILES = 1024;

/**
 * Begins a command that is bounded. No core file: it would hold a stream key. The number of processes is not bounded: the kernel counts
 * those of the user, and the server, its agent and all broadcasts are the same one.
 */
export function bounded(work: Work): string[] {
  if (findProgram(PRLIMIT) === undefined) return [];
  return [PRLIMIT, `--data=${maxBytes(work)}`, `--nofile=${MAX_FILES}`, '--core=0', '--'];
}
