/** STREAM: one rendition as datagrams, UDP or RTP, to one address or a group. The runner sends them itself, without a process. */
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import { NetworkRefusal, type Reach } from '../../../domain/network/networks.ts';
import {
  DatagramCutter,
  datagramTarget,
  isMulticast,
  Pacer,
  RtpHeaders,
  type DatagramTarget,
} from '../../media/mpeg-ts/datagrams.ts';
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import type { PacketSink, PacketSource } from '../stream/fan-out.ts';
import { ContinuedView } from '../stream/continued-view.ts';
import { viewStreams, type ViewStreams } from '../stream/program-view.ts';
import { readSent } from '../stream/sent-units.ts';
import type { SplicePoints } from '../stream/splice-points.ts';
import { TransportView } from '../stream/transport-view.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';

export interface StreamOptions {
  url: string;
  rendition: RenditionPlan;
  reach: Reach;
  lease: { readonly isHeld: boolean };
  /** Keeps what has been sent, for the next runner; left out: that one has nothing to send again. */
  sentFile?: string | undefined;
}

/** Datagrams of a keyframe leave in many small bursts over this time: six ticks, and less than the distance of frames at 30 fps. */
const SPREAD_MS = 30;
const TICK_MS = 5;
/** Against a network card that takes nothing: 1 s at 30 Mbit/s. */
const MAX_QUEUED_BYTES = 4 << 20;
/** Up to so long after a keyframe the stream is joined from there, after the first of a run at any time: the next is seconds away. */
const MAX_JOINED_SECONDS = 0.3;
/** ffmpeg and VLC use the same; the system's own 1 would end at the first router. */
const GROUP_TTL = 16;

/** Throws TypeError for an address that cannot be one. */
export function beginStream(
  options: StreamOptions,
  packets: PacketSource,
  splicePoints: SplicePoints,
  hooks: AttemptHooks,
): Attempt {
  return new StreamOutput(options, packets, splicePoints, hooks);
}

class StreamOutput implements Attempt {
  private readonly target: DatagramTarget;
  private readonly lease: StreamOptions['lease'];
  private readonly packets: PacketSource;
  private readonly splicePoints: SplicePoints;
  private readonly hooks: AttemptHooks;
  private readonly view: TransportView;
  private readonly cutter = new DatagramCutter();
  private readonly pacer = new Pacer(SPREAD_MS);
  private readonly headers: RtpHeaders | undefined;
  private readonly sentFile: string | undefined;
  private readonly streams: ViewStreams;
  private readonly sink: PacketSink = {
    write: (run) => this.isLive && (this.continued ?? this.view).write(run),
    flush: () => this.view.flush(),
  };
  private socket: Socket | undefined;
  private continued: ContinuedView | undefined;
  private timer: NodeJS.Timeout | undefined;
  private address = '';
  private isLive = false;
  private sending = 0;
  private over = false;

  constructor(
    { url, rendition, reach, lease, sentFile }: StreamOptions,
    packets: PacketSource,
    splicePoints: SplicePoints,
    hooks: AttemptHooks,
  ) {
    const target = datagramTarget(url);
    this.target = target;
    this.lease = lease;
    this.packets = packets;
    this.splicePoints = splicePoints;
    this.hooks = hooks;
    const random = { sequence: randomInt(2 ** 16), timestamp: randomInt(2 ** 32), ssrc: randomInt(2 ** 32) };
    this.headers = target.rtp ? new RtpHeaders(random) : undefined;
    this.sentFile = sentFile;
    this.streams = viewStreams(rendition);
    this.view = new TransportView(this.streams, packets.streams, (bytes) => this.take(bytes));
    // The name is looked up once: for each datagram it would be thousands a second. An address that changes is found by the next attempt.
    reach.resolve(target.host).then(
      ({ address, family }) => this.over || this.open(address, family),
      (error: Error) => {
        if (error instanceof NetworkRefusal) this.giveUp(error.message);
        else this.giveUp(`${target.host} cannot be resolved: ${error.message}`);
      },
    );
  }

  /** The last frame is sent whole: a recorder of the stream would have half of it. */
  end(): Promise<void> {
    if (this.isLive && !this.over) {
      const now = performance.now();
      this.pacer.add(this.cutter.finish(), now);
      for (const datagram of this.pacer.take(Infinity, TICK_MS)) this.send(datagram, now);
    }
    this.close();
    return Promise.resolve();
  }

  cut(): void {
    this.close();
  }

  private open(address: string, family: number): void {
    this.address = address;
    // The socket is not connected: a receiver that is away would answer each datagram with an error, and may come back any time.
    const socket = createSocket({
      type: family === 6 ? 'udp6' : 'udp4',
      lookup: (host, _, done) => done(null, host, isIP(host)),
    });
    this.socket = socket;
    socket.on('error', (error) => this.giveUp(`The datagrams cannot be sent: ${error.message}`));
    const { localAddress } = this.target;
    const isGroup = isMulticast(address);
    const onBound = (): void => this.ready(socket, isGroup);
    // Port 0 is any port. The interface for a group is chosen by an option, for any other address by where the socket is bound.
    if (localAddress === undefined || isGroup) socket.bind(0, onBound);
    else socket.bind(0, localAddress, onBound);
  }

  private ready(socket: Socket, isGroup: boolean): void {
    if (this.over) return;
    const { ttl, localAddress } = this.target;
    try {
      if (isGroup) {
        socket.setMulticastTTL(ttl ?? GROUP_TTL);
        // A player or a recorder on the Device itself may listen too.
        socket.setMulticastLoopback(true);
        if (localAddress !== undefined) socket.setMulticastInterface(localAddress);
      } else if (ttl !== undefined) socket.setTTL(Math.max(1, ttl));
    } catch (error) {
      return this.giveUp(`The socket cannot be set up: ${(error as Error).message}`);
    }
    this.timer = setInterval(() => this.tick(), TICK_MS);
    // Packets since the last keyframe come at once: at the beginning of a run they are wanted, later they are a burst that nobody waits for.
    const { isInFirstGroup, secondsSinceKeyframe } = this.splicePoints;
    const goesOn = this.goOn();
    this.isLive = goesOn || isInFirstGroup || secondsSinceKeyframe < MAX_JOINED_SECONDS;
    this.packets.attach(this.sink);
    this.isLive = true;
  }

  /** Answers whether receivers have the stream of the runner before. */
  private goOn(): boolean {
    const { sentFile: file, view, streams } = this;
    if (file === undefined || streams.videos.length === 0) return false;
    const sent = readSent(file);
    this.continued = new ContinuedView({ view, pids: [...streams.videos, ...streams.audios], file, sent });
    return sent !== undefined;
  }

  private take(bytes: Buffer): void {
    if (this.over) return;
    this.continued?.grown(bytes.length);
    this.pacer.add(this.cutter.push(bytes), performance.now());
    if (this.pacer.bytes + this.sending > MAX_QUEUED_BYTES) this.giveUp('The network takes no more data.');
  }

  private tick(): void {
    // What waits to be sent is late after a stop of this process.
    if (!this.lease.isHeld) return;
    const now = performance.now();
    for (const datagram of this.pacer.take(now, TICK_MS)) this.send(datagram, now);
    this.continued?.left(this.cutter.bytes + this.pacer.bytes);
  }

  private send(datagram: Buffer, now: number): void {
    const { socket, headers } = this;
    if (socket === undefined || this.over) return;
    this.sending += datagram.length;
    const parts = headers === undefined ? [datagram] : [headers.next(now), datagram];
    socket.send(parts, this.target.port, this.address, (error) => {
      this.sending -= datagram.length;
      if (this.over) return;
      if (error !== null) this.giveUp(`The datagrams cannot be sent: ${error.message}`);
      else this.hooks.onUp();
    });
  }

  private giveUp(reason: string): void {
    if (this.over) return;
    this.close();
    this.hooks.onDown(reason);
  }

  private close(): void {
    if (this.over) return;
    this.over = true;
    clearInterval(this.timer);
    this.packets.detach(this.sink);
    this.view.close();
    this.continued?.close();
    this.socket?.close();
  }
}
