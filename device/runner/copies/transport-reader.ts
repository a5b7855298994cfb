/** Reads a transport stream of a source that is copied: of an encoder that pushes, or of datagrams to this machine. */
import { maxReceiveBytes } from '../../../linux/receive-buffer.ts';
import { troubleOfConnection } from '../../media/ffmpeg-output/source-reason.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import type { WantedStreams } from '../../media/mpeg-ts/stream-choice.ts';
import { TsReader, type TsReaderHooks } from '../../media/mpeg-ts/ts-reader.ts';
import type { DatagramSource } from './datagram-source.ts';
import { DatagramsIn, RECEIVE_BYTES } from './datagrams-in.ts';
import type { OwnOutput, OwnReader } from './own-reading.ts';

/** A copy hears this of its source beside its packets. */
export interface TransportHooks extends Pick<TsReaderHooks, 'onRecoded' | 'onChange' | 'onLacking' | 'onCue'> {
  /** Packets are missing in so many places. */
  onLost(places: number): void;
}

/** A sender that gives nothing for so long is gone, as ffmpeg sees it. */
const SILENT_MS = 5000;
const LOOK_MS = 500;
/** Datagrams come one by one; what is made of them goes on ten times a second while nobody waits for it. */
const PACE_MS = 100;
/** A tenth of a second at 20 Mbit/s. */
const MAX_WAITING = 200;

export function transportReader(wanted: WantedStreams, out: OwnOutput, hooks: TransportHooks): OwnReader {
  const reader = new TsReader(wanted, {
    nextTicks: () => Math.round(out.nextSeconds() * TICKS_PER_SECOND),
    onPackets: (packets) => out.packets(packets),
    onRecoded: () => out.after(() => hooks.onRecoded()),
    onChange: (stream, change) => hooks.onChange(stream, change),
    onLacking: (numbers) => hooks.onLacking(numbers),
    onCue: (section, times) => out.after(() => hooks.onCue(section, times)),
    onUnfit: (why) => out.giveBack(why),
  });
  let known = 0;
  return {
    take(bytes) {
      reader.push(bytes, performance.now());
      if (reader.holes > known) hooks.onLost(reader.holes - known);
      known = reader.holes;
    },
    finish: () => reader.finish(),
  };
}

/** Datagrams wait in the kernel while this process is busy: ffmpeg has a thread for them where the kernel may keep few. */
export function mayTakeDatagrams(): boolean {
  return maxReceiveBytes() >= RECEIVE_BYTES / 2;
}

export function datagramReader(source: DatagramSource, reader: OwnReader, out: OwnOutput): OwnReader {
  let socket: DatagramsIn | undefined;
  let isClosed = false;
  let heardAt = performance.now();
  let waiting: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;
  const take = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const taken = waiting;
    waiting = [];
    out.guard(() => taken.forEach((bytes) => reader.take?.(bytes)));
  };
  const hooks = {
    onBytes(bytes: Buffer) {
      heardAt = performance.now();
      waiting.push(bytes);
      if (waiting.length > MAX_WAITING || !out.mayWait()) take();
      else timer ??= setTimeout(take, PACE_MS);
    },
    onUnfit: (why: string) => out.guard(() => out.giveBack(why)),
    onError: (error: Error) => out.guard(() => out.end(troubleOfConnection(error))),
  };
  const watch = setInterval(() => {
    const isSilent = performance.now() - heardAt > SILENT_MS;
    if (isSilent) hooks.onError(Object.assign(new Error('no datagram has come'), { code: 'ETIMEDOUT' }));
  }, LOOK_MS);
  DatagramsIn.open(source, hooks).then(
    (opened) => {
      socket = opened;
      if (isClosed) opened.close();
    },
    (error: Error) => hooks.onError(error),
  );
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(watch);
      socket?.close();
    },
  };
}
