/** The ffmpeg that copies the parts of a Recording into one file. */
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import type { ProbedMedia } from './media-probe.ts';
import type { ShelvedFile } from './recording-shelf.ts';

/** No disk that can record is slower; copying goes at 200 MB/s and more on a usual one. */
const SLOWEST_BYTES_PER_SECOND = 4_000_000;
const LEAST_MS = 60_000;
/** Whatever is on air goes first, but for what is over before anybody notices. */
const LOW_PRIORITY = 15;
const QUICK_BYTES = 64 << 20;

export interface Part {
  file: ShelvedFile;
  media: ProbedMedia;
}

/** It cannot be done now, but later. */
export class NotYet extends Error {}

/** `head`: a file without media, whose tracks say how the parts are set up. Names are ours and hold no quote; ffmpeg's own escape for one is '\''. */
export function ffconcat(parts: readonly Part[], head?: string): string {
  const files = parts.map(({ file, media }) => ({ path: file.path, seconds: media.seconds }));
  const lines = [...(head === undefined ? [] : [{ path: head, seconds: 0 }]), ...files].map(
    ({ path, seconds }) => `file 'file:${path.replaceAll("'", "'\\''")}'\nduration ${seconds}`,
  );
  return `ffconcat version 1.0\n${lines.join('\n')}\n`;
}

/** Without conversion between the parts (auto_convert): they were found to be set up alike. */
export function joinArgs(container: ShelvedFile['container'], first: Part, list: string, target: string): string[] {
  const isHevc = first.media.tracks.some(({ codec }) => codec === 'hevc');
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', '-protocol_whitelist', 'file', '-auto_convert', '0'],
    ...['-f', 'concat', '-safe', '0', '-i', `file:${list}`, '-map', '0', '-c', 'copy'],
    ...(container === 'mp4'
      ? [...(isHevc ? ['-tag:v', 'hvc1'] : []), '-movflags', '+faststart', '-f', 'mp4']
      : ['-f', 'mpegts']),
    `file:${target}`,
  ];
}

/** Rejects with NotYet on a full disk, and with Error in ffmpeg's words. */
export function runFfmpeg(args: string[], bytes: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timeout = LEAST_MS + Math.ceil((bytes / SLOWEST_BYTES_PER_SECOND) * 1000);
    const child = spawn(process.env.ONAIR_FFMPEG ?? 'ffmpeg', args, {
      ...{ stdio: ['ignore', 'ignore', 'pipe'], timeout, killSignal: 'SIGKILL', signal },
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString('utf8')}`.slice(-2000)));
    child.once('error', reject);
    child.once('close', (code, killed) => {
      if (code === 0) return resolve();
      const words = said.trim().split('\n').at(-1) ?? '';
      if (words.includes('No space left')) return reject(new NotYet(`The Device's disk is full; its parts are kept.`));
      reject(new Error(words === '' ? `ffmpeg ended (${killed ?? `exit code ${code}`}).` : words.slice(0, 300)));
    });
    if (bytes > QUICK_BYTES) yieldToOthers(child.pid);
  });
}

function yieldToOthers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, LOW_PRIORITY);
  } catch {
    // It has ended already.
  }
}
