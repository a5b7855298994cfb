/** Bounds of memory and open files that hold for an ffmpeg whatever its input makes it do. */
import { totalmem } from 'node:os';
import { DECODER_THREADS, MAX_PIXELS } from './input-rules.ts';
import { findProgram } from './programs.ts';

export const PRLIMIT = '/usr/bin/prlimit';

/** `read` is work on media that strangers have made, `encode` is the making of renditions from our own raw frames. */
export type Work = 'read' | 'encode';

const GIGABYTE = 2 ** 30;
/** The largest frame that is let in has four channels of 16 bits. */
const FRAME_BYTES = MAX_PIXELS * 8;
/** A decoder has one frame for each thread; the one before, the one that is scaled and the next stand beside them. */
const FRAMES = DECODER_THREADS + 3;
/** Programs, packets and the result take this much beside the frames. */
const REST = GIGABYTE / 4;
/**
 * Bytes of memory that a process may write to (RLIMIT_DATA). Addresses are not bounded (RLIMIT_AS): glibc reserves 64 MB of them for each
 * thread that allocates, so a small encoder on 64 cores has more of them than a large one on two. Measured with ffmpeg 5.1, decoding 10-bit
 * HEVC: 2160p 0.4 GB by three threads and 0.6 by eight, 4320p 1.1 and 1.9. Encoding, with threads for 64 cores: 2160p and 1080p of x265 3.1
 * GB, 2160p of SVT-AV1 4.0, 2160p, 1080p and 720p of x264 0.8. A PNG of 5760x6000 pixels of 64 bits takes 1.7 GB by three threads: it fits,
 * and little more. A reader gets no more than half of a small machine's memory, so that a hostile source does not get other processes
 * killed.
 */
function maxBytes(work: Work): number {
  return Math.floor(
    work === 'read' ? Math.min(3 * GIGABYTE, FRAMES * FRAME_BYTES + REST, totalmem() / 2) : 16 * GIGABYTE,
  );
}

/** An ffmpeg has some dozen pipes, connections and inputs; a clip needs one more for each file of the Recording. */
const MAX_FILES = 1024;

/**
 * The head of a command line that bounds the rest. There is no core file, since it would contain a stream key. The number of processes is
 * not bounded: the kernel counts those of the user, who is the same for the server, its agent and all broadcasts.
 */
export function boundsCommand(work: Work): string[] {
  if (findProgram(PRLIMIT) === undefined) return [];
  return [PRLIMIT, `--data=${maxBytes(work)}`, `--nofile=${MAX_FILES}`, '--core=0', '--'];
}
