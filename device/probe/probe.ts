/**
 * Looks at a source before it is on air. One ffmpeg takes its packets in as they are, for some seconds and into memory; what they are is
 * then found out without the source, which may allow one connection alone.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../domain/base/errors.ts';
import { NetworkRefusal } from '../../domain/network/networks.ts';
import { addressOf } from '../../domain/shapes/sources/channel-address.ts';
import type { DeviceProbe } from '../../domain/shapes/sources/probe.ts';
import type { SourceSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { knownSandbox } from '../ffmpeg/trial.ts';
import type { IngestInput } from '../media/arguments/ingest-args.ts';
import { pushedLook } from '../media/arguments/pushed-input.ts';
import type { InputRelay } from '../media/arguments/input-feed.ts';
import { secretsOfSource, redactorOf } from '../media/ffmpeg-output/redact.ts';
import { quotable, SourceTrouble } from '../media/ffmpeg-output/source-reason.ts';
import { reachOf } from '../network-rules.ts';
import { refusalOfChild, troubleOfChild } from '../runner/input/ingest-end.ts';
import { HlsSource } from '../runner/hls/hls-source.ts';
import { authorities } from '../runner/process/certificates.ts';
import { SourceUnavailable, sourceOpener } from '../runner/input/source-opener.ts';
import { allowsSecond, refusalOfSource } from '../runner/input/source-rules.ts';
import { ChildProcesses } from '../runner/process/child-processes.ts';
import type { Child } from '../runner/process/child.ts';
import { openRunNetwork } from '../runner/run-network.ts';
import { analyse } from './analysis.ts';
import { isPushed } from '../../domain/types/channel-questions.ts';
import { CHANNEL_ROWS } from '../../domain/types/channel-types.ts';

export interface ProbeOptions {
  deviceDir: string;
  /** A run of this Device takes the source in. */
  isOnAir?: boolean;
  /** Opens what a pusher sends: what `readPushed` gives. */
  openPushed?: ((channelId: number) => Readable) | undefined;
}

/** Two keyframes that are 4 s apart fit in. */
const MEDIA_SECONDS = 5.5;
/** With the analysis a call answers within 10 s, also when the source is slow to come. */
const TAKE_IN_MS = 7500;
const OPEN_MS = 5000;
/** Some seconds of 50 Mbit/s, more than which no ingest of the field has. */
const MAX_BYTES = 48 << 20;

/** Rejects with AppError: timeout (nothing has come), upstream_failed, rule_violated and unsupported_by_device with the reason. */
export async function probeSource(source: SourceSpec, options: ProbeOptions): Promise<DeviceProbe> {
  const refusal = refusalOfSource(source);
  if (refusal !== undefined) throw new AppError('rule_violated', refusal);
  const { deviceDir, isOnAir = false } = options;
  if (isOnAir && !isPushed(source) && !allowsSecond(source))
    throw new AppError(
      'wrong_state',
      `Channel "${source.name}" is on air and serves one connection alone; look at getChannelPreview and getLivestreamStatus, or stop the Live stream first.`,
    );
  const startedAt = performance.now();
  const dir = mkdtempSync(join(deviceDir, 'probe-'));
  const network = await openRunNetwork(reachOf(deviceDir));
  const sandbox = await knownSandbox(deviceDir);
  const redact = redactorOf(secretsOfSource(source));
  const children = new ChildProcesses({
    files: { state: join(dir, 'state.json') },
    run: { runId: 'probe', livestreamId: 0 },
    sandbox,
    network,
    redact,
    log: { info: () => undefined, warn: () => undefined },
  });
  const hls = new HlsSource({
    reach: network.reach,
    authorities,
    program: source.settings.program,
    now: () => performance.timeOrigin + performance.now(),
    onGap: () => undefined,
  });
  let relay: InputRelay | undefined;
  try {
    const input = isPushed(source)
      ? pushedInput(source)
      : await sourceOpener(source, children, { hls: { source: hls, isPlaylist: () => false } })(
          AbortSignal.timeout(OPEN_MS),
        );
    relay = input.relay;
    const taken = await takeIn(source, input, children, options);
    const facts = await analyse(taken.media, taken.notes, { sandbox });
    if (facts.video === null && facts.audio.length === 0) throw failureOf(source, taken.child);
    return { ...facts, took_ms: Math.round(performance.now() - startedAt) };
  } catch (error) {
    throw asAppError(source, error);
  } finally {
    hls.close();
    await children.close();
    relay?.close();
    network.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

function pushedInput({ type }: SourceSpec): IngestInput {
  return { args: pushedLook(CHANNEL_ROWS[type].pushed!), list: undefined, readsStdin: true };
}

interface Taken {
  media: Buffer;
  /** Lines in which ffmpeg describes its input. */
  notes: string;
  child: Child;
}

async function takeIn(
  source: SourceSpec,
  opened: IngestInput,
  children: ChildProcesses,
  { openPushed }: ProbeOptions,
): Promise<Taken> {
  const input = { ...opened, ...opened.asLive };
  // A file is read as fast as it can be, for its first seconds alone.
  const args = input.args.filter((arg) => arg !== '-re');
  const program = source.settings.program === undefined ? '' : `p:${source.settings.program}:`;
  // Raw pictures would be gigabytes.
  const isRaw = input.feeder !== undefined;
  const codecs = isRaw ? ['-c:v', 'mjpeg', '-q:v', '4', '-c:a', 'pcm_s16le'] : ['-c', 'copy'];
  const child = children.spawn(
    'probe',
    [
      ...['-hide_banner', '-nostdin', '-loglevel', 'level+info', '-nostats', ...args],
      ...['-map', `0:${program}V?`, '-map', `0:${program}a?`, ...codecs, '-t', String(MEDIA_SECONDS)],
      ...['-flush_packets', '1', '-f', 'nut', 'pipe:1'],
    ],
    {
      feed: input.readsStdin === true || input.list !== undefined,
      hideAddresses: input.hidesAddresses === true,
      access: { reads: input.reads ?? [] },
      asksWeb: true,
      stdin: input.feeder,
    },
  );
  const notes: string[] = [];
  child.onLine = (line) => notes.push(line);
  let pushed: Readable | undefined;
  if (input.list !== undefined) child.input(0).end(input.list);
  else if (input.feed !== undefined) input.feed.attach(child.input(0), { isPaced: false });
  else if (input.readsStdin === true) {
    pushed = openPushed?.(source.channelId);
    if (pushed === undefined)
      throw new AppError('unavailable', 'This Device takes in no pushed sources; start its agent anew.');
    // A push process that is gone ends the input, and so the look.
    pushed.on('error', () => child.input(0).end());
    pushed.pipe(child.input(0));
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.output(1)?.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) child.kill('SIGKILL');
  });
  const isOver = await Promise.race([child.ended.then(() => true), delay(TAKE_IN_MS, false, { ref: false })]);
  if (!isOver) {
    child.kill('SIGKILL');
    await child.ended;
  }
  pushed?.destroy();
  if (bytes === 0 && !isOver) throw tooLate(source);
  return { media: Buffer.concat(chunks), notes: notes.join('\n'), child };
}

const REMEDY = 'Check that it is sending and that the address is right, then call probeChannel again.';

function tooLate(source: SourceSpec): AppError {
  return new AppError('timeout', `${nameOf(source)} gave no media within ${TAKE_IN_MS / 1000} s. ${REMEDY}`);
}

function nameOf(source: SourceSpec): string {
  const address = addressOf(source);
  return `Channel "${source.name}"${address === undefined ? '' : ` (${address})`}`;
}

function failureOf(source: SourceSpec, child: Child): AppError {
  const refusal = refusalOfChild(child);
  if (refusal !== undefined) return new AppError('rule_violated', `${nameOf(source)} cannot be looked at: ${refusal}`);
  return troubleError(source, troubleOfChild(child));
}

function troubleError(source: SourceSpec, { publicMessage: why, upstream }: SourceTrouble): AppError {
  const code = /timed out|does not answer/u.test(why) ? 'timeout' : 'upstream_failed';
  const extras = upstream === undefined ? {} : { upstream: quotable(upstream) };
  return new AppError(code, `${nameOf(source)} cannot be looked at: ${why}. ${REMEDY}`, extras);
}

function asAppError(source: SourceSpec, error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { message } = error as Error;
  if (error instanceof SourceUnavailable) return new AppError('unsupported_by_device', message);
  if (error instanceof NetworkRefusal) return new AppError('rule_violated', message);
  if (error instanceof SourceTrouble) return troubleError(source, error);
  return error;
}
