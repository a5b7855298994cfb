/** Receivers of media: ffmpeg that writes down what comes, and what is to be said of it afterwards. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { PACKET_BYTES, hasPayload, pidOf } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { wordsOf } from '../../helpers/words.ts';

export interface Receiver {
  process: ChildProcess;
  path: string;
  bytes(): number;
  stop(): Promise<void>;
}

/**
 * Copies pictures and sound of what comes from `url` to a file, for `seconds` of media or until it is stopped. Not the streams of cues and
 * ID3 that are announced beside them: ffmpeg would wait for their end, too, and they may never begin.
 */
export function receive(t: TestScope, url: string, path: string, seconds?: number, secret: string[] = []): Receiver {
  const limit = seconds === undefined ? [] : ['-t', String(seconds)];
  const quick = ['-probesize', '500000', '-analyzeduration', '1000000', '-fpsprobesize', '0'];
  const args = ['-v', 'error', '-nostdin', '-y', ...quick, ...secret, '-i', url, ...limit];
  const copy = ['-map', '0:v?', '-map', '0:a?', '-c', 'copy', '-flush_packets', '1', '-f', 'mpegts', path];
  const process = spawn('ffmpeg', [...args, ...copy], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => process.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    if (process.exitCode === null && process.signalCode === null) process.kill('SIGKILL');
    await ended;
  };
  cleanUp(t, stop);
  const bytes = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return { process, path, bytes, stop };
}

/** Frames that decode, and every complaint of the decoder. */
export async function decoded(path: string): Promise<{ video: number; audio: number; complaints: string }> {
  const args = wordsOf('-v error -count_frames -show_entries stream=codec_type,nb_read_frames -of compact=p=0');
  const { stdout, stderr } = await promisify(execFile)('ffprobe', [...args, path], { timeout: 120_000 });
  const frames = (kind: string): number =>
    Number(new RegExp(`codec_type=${kind}\\|nb_read_frames=(\\d+)`, 'u').exec(stdout)?.[1] ?? 0);
  return { video: frames('video'), audio: frames('audio'), complaints: stderr };
}

/** Packets of a pid that do not follow the one before (ISO/IEC 13818-1 §2.4.3.3). */
export function continuityErrors(data: Buffer): number {
  const last = new Map<number, number>();
  let errors = 0;
  for (let at = 0; at < data.length; at += PACKET_BYTES) {
    const [pid, counter] = [pidOf(data, at), data[at + 3]! & 15];
    if (pid === 0x1fff) continue;
    const before = last.get(pid);
    if (before !== undefined && counter !== ((before + (hasPayload(data, at) ? 1 : 0)) & 15)) errors += 1;
    last.set(pid, counter);
  }
  return errors;
}

/** Datagrams that the kernel has thrown away at this UDP port of 127.0.0.1, because nobody took them in time. */
export function lostAt(port: number): number {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const line = readFileSync('/proc/net/udp', 'utf8')
    .split('\n')
    .find((one) => one.includes(` ${local} `));
  if (line === undefined) throw new Error(`Nobody has port ${port}`);
  return Number(line.trim().split(/\s+/u).at(-1));
}

/** Whether somebody takes in what comes to this UDP port. */
export function isTakenIn(port: number): boolean {
  const local = port.toString(16).toUpperCase().padStart(4, '0');
  return new RegExp(`^ *\\d+: [0-9A-F]{8}:${local} `, 'mu').test(readFileSync('/proc/net/udp', 'utf8'));
}

/** The traffic of a UDP port, datagram by datagram, with the time on the steady clock. */
export async function capture(t: TestScope): Promise<{ port: number; datagrams: { at: number; data: Buffer }[] }> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 8 << 20 });
  const datagrams: { at: number; data: Buffer }[] = [];
  socket.on('message', (data) => datagrams.push({ at: performance.now(), data }));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  cleanUp(t, () => new Promise<void>((resolve) => socket.close(() => resolve())));
  return { port: (socket.address() as AddressInfo).port, datagrams };
}
