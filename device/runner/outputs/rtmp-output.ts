/** RTMP: one rendition to one server, by a connection of the runner's own. The key is never outside this process but on its way there. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Reach } from '../../../domain/network/networks.ts';
import { ended } from '../../../domain/base/sentence.ts';
import { isKeyRefusal } from '../../media/ffmpeg-output/source-reason.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { RtmpAuthentication, type Credentials } from '../../media/rtmp/rtmp-authentication.ts';
import { RtmpMuxer, type MuxedTracks } from '../../media/rtmp/rtmp-muxer.ts';
import type { Refusal } from '../../media/rtmp/rtmp-caller.ts';
import { RtmpPublishing } from '../../media/rtmp/rtmp-publishing.ts';
import {
  closedConnection,
  failedConnection,
  redirectedTarget,
  refusedStream,
  rtmpTarget,
  withQuery,
  type RtmpTarget,
} from '../../media/rtmp/rtmp-target.ts';
import { PipeQueue } from '../process/pipe-queue.ts';
import type { PacketSink, PacketSource } from '../stream/fan-out.ts';
import { Acknowledged } from './acknowledged.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { isStuck } from './publisher.ts';
import { Suspicion } from './suspicion.ts';
import { unacknowledgedBytes } from './tcp-queue.ts';
import { trustedAuthorities } from './trusted-authorities.ts';

export interface RtmpOptions {
  url: string;
  streamKey: string | null;
  /** For a server that asks for them. */
  credentials: Credentials | undefined;
  rendition: RenditionPlan;
  /** The type of the Destination, and whether its server knows the extension for HEVC. */
  type: string;
  takesHevc: boolean;
  reach: Reach;
}

/** Time from the first media to the server's consent: DNS, TLS and a distant server's handshakes take up to 5 s. */
const PROOF_MS = 12_000;
/** A host may have many addresses, and its server be a quarter of a second away: each is tried for so long, the last one for longer. */
const PER_ADDRESS_MS = 1500;
/** Bytes on their way that nobody acknowledges for so long: three lost packets in a row on a connection across the world take less. */
const UNACKNOWLEDGED_MS = 3000;
const LOOK_MS = 250;
/** Time for what waits to be sent, and for the server to answer the goodbye. */
const GRACE_MS = 1000;
const FAREWELL_MS = 200;
/** A server may leave so much of what it asks for unread: a ping is answered by 18 bytes. */
const MAX_UNREAD_BYTES = 65_536;
/** A platform sends publishers to the server next to them, and that one perhaps to a free one. */
const MAX_REDIRECTS = 3;

/** Throws TypeError for an address that no attempt could deliver to, NetworkRefusal for one that may not be reached. */
export function beginRtmp(options: RtmpOptions, packets: PacketSource, hooks: AttemptHooks): Attempt {
  const target = rtmpTarget(options.url, options.streamKey);
  options.reach.assertHost(target.host);
  return new RtmpOutput(target, options, packets, hooks);
}

class RtmpOutput implements Attempt {
  private target: RtmpTarget;
  private readonly options: RtmpOptions;
  private readonly packets: PacketSource;
  private readonly hooks: AttemptHooks;
  private readonly muxer: RtmpMuxer;
  private readonly acknowledged = new Acknowledged();
  private readonly suspicion = new Suspicion();
  /** A server hangs up on who sends nothing, so the first media is waited for. */
  private readonly starter: PacketSink = { write: () => this.open(), flush: () => undefined };
  /** Those of the present connection. */
  private session: RtmpPublishing | undefined;
  private socket: Socket | undefined;
  private queue: PipeQueue | undefined;
  private authentication: RtmpAuthentication;
  private redirects = 0;
  private openedAt = 0;
  private watchdog: NodeJS.Timeout | undefined;
  private hasAccepted = false;
  private isUp = false;
  private isOver = false;
  private isEnding = false;
  private isAsking = false;

  constructor(target: RtmpTarget, options: RtmpOptions, packets: PacketSource, hooks: AttemptHooks) {
    this.target = target;
    this.options = options;
    this.packets = packets;
    this.hooks = hooks;
    this.authentication = new RtmpAuthentication(options.credentials);
    this.muxer = new RtmpMuxer(
      tracksOf(options),
      packets.streams,
      (message) => {
        this.session!.media(message);
        if (message.type !== 18) this.onMedia();
      },
      (reason) => this.giveUp(`${options.type}: ${reason}.`),
    );
    packets.attach(this.starter);
  }

  async end(): Promise<void> {
    this.isEnding = true;
    this.detach();
    const { socket } = this;
    if (socket === undefined || socket.destroyed) return;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    if (this.hasAccepted && !this.isOver) {
      this.muxer.finish();
      this.session!.finish();
    }
    const timers = [setTimeout(() => socket.destroy(), this.hasAccepted ? GRACE_MS : 0)];
    // All is on its way then, and the server closes the connection, or does not.
    socket.end(() => timers.push(setTimeout(() => socket.destroy(), FAREWELL_MS)));
    await closed;
    for (const timer of timers) clearTimeout(timer);
  }

  cut(): void {
    this.isOver = true;
    this.isEnding = true;
    this.detach();
    this.socket?.destroy();
  }

  private open(): void {
    this.packets.detach(this.starter);
    if (this.socket !== undefined || this.isOver || this.isEnding) return;
    this.openedAt = performance.now();
    this.watchdog = setInterval(() => this.watch(), LOOK_MS);
    this.connect(this.target);
  }

  /** Connects in place of an earlier connection, which has ended with a rejection. */
  private connect(target: RtmpTarget): void {
    this.socket?.destroy();
    const { host, port, secure, peer } = target;
    const { lookup } = this.options.reach;
    const place = { host, port, lookup, autoSelectFamilyAttemptTimeout: PER_ADDRESS_MS, noDelay: true };
    const socket = secure
      ? connectTls({
          ...place,
          secureContext: trustedAuthorities(),
          rejectUnauthorized: true,
          ...(isIP(host) === 0 && { servername: host }),
        })
      : connect(place);
    const queue = new PipeQueue(socket);
    let unread = 0;
    const session = new RtmpPublishing(target, {
      send: (bytes, isAnswer) => {
        if (!isAnswer) return queue.write(bytes);
        unread += bytes.length;
        if (unread > MAX_UNREAD_BYTES) return this.giveUp(`The server ${peer} asks on and on, and reads no answer.`);
        queue.write(bytes, () => (unread -= bytes.length));
      },
      onPublishing: () => this.publish(),
      onRefused: (refusal) => this.proceed(refusal),
    });
    this.socket = socket;
    this.queue = queue;
    this.session = session;
    const isPresent = (): boolean => socket === this.socket;
    socket.once(secure ? 'secureConnect' : 'connect', () => session.start());
    socket.on('data', (bytes: Buffer) => isPresent() && this.read(session, bytes));
    socket.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (isPresent()) this.giveUp(failedConnection(code, message, this.hasAccepted, peer));
    });
    socket.once('close', () => isPresent() && this.giveUp(closedConnection(this.hasAccepted, peer)));
  }

  /** A rejection may ask for a user, or lead elsewhere. */
  private proceed({ words, redirect }: Refusal): void {
    if (this.isOver || this.isEnding) return;
    const { peer, app } = this.target;
    // What was published so far has begun there: the next attempt finds the way anew.
    const isOpen = !this.hasAccepted;
    if (isOpen && redirect !== undefined) return this.follow(redirect);
    const step = isOpen ? this.authentication.next(words, app) : undefined;
    if (step === undefined) this.giveUp(refusedStream(words, peer), isKeyRefusal(words));
    else if ('refusal' in step) this.giveUp(`The server ${peer} ${step.refusal}.`, true);
    else this.connect(withQuery(this.target, step.query));
  }

  private follow(redirect: string): void {
    const { peer } = this.target;
    this.redirects += 1;
    if (this.redirects > MAX_REDIRECTS)
      return this.giveUp(`The server ${peer} sends the stream on once more, after ${MAX_REDIRECTS} redirects.`);
    try {
      const target = redirectedTarget(this.target, redirect);
      this.options.reach.assertHost(target.host);
      this.target = target;
    } catch (error) {
      // Another attempt would be sent to the same address.
      return this.giveUp(
        `The server ${peer} sends the stream on to an address that is not followed: ${ended((error as Error).message)}`,
        true,
      );
    }
    this.authentication = new RtmpAuthentication(this.options.credentials);
    this.connect(this.target);
  }

  private read(session: RtmpPublishing, bytes: Buffer): void {
    if (this.isOver) return;
    try {
      session.push(bytes);
    } catch {
      // Whatever it says: nothing can be read of it any more.
      this.giveUp(`The server ${this.target.peer} answers with what is no RTMP.`);
    }
  }

  private publish(): void {
    this.hasAccepted = true;
    if (this.isOver || this.isEnding) return;
    this.packets.attach(this.muxer);
    // What has come so far may be what cannot be sent.
    if (this.isOver) this.detach();
  }

  private onMedia(): void {
    if (this.isUp || this.isOver || this.isEnding) return;
    this.isUp = true;
    this.hooks.onUp();
  }

  private detach(): void {
    clearInterval(this.watchdog);
    this.packets.detach(this.starter);
    this.packets.detach(this.muxer);
  }

  private watch(): void {
    const now = performance.now();
    if (this.isOver || this.queue === undefined) return;
    if (isStuck(this.queue)) this.giveUp('The target takes no more data.');
    else if (!this.hasAccepted && now - this.openedAt > PROOF_MS)
      this.giveUp(`The target has not taken the stream within ${PROOF_MS / 1000} s.`);
    else if (this.isUp && !this.isAsking && this.suspicion.mustAsk(this.written, this.session!.acknowledged, now))
      void this.ask();
  }

  /** Bytes that the kernel has taken. */
  private get written(): number {
    return this.socket!.bytesWritten - this.queue!.queuedBytes;
  }

  private async ask(): Promise<void> {
    this.isAsking = true;
    const unacknowledged = await unacknowledgedBytes(this.socket!);
    this.isAsking = false;
    const standsForMs = this.acknowledged.standsForMs(this.written, unacknowledged, performance.now());
    if (standsForMs > UNACKNOWLEDGED_MS && !this.isEnding)
      this.giveUp(`The target takes no more data: ${unacknowledged} bytes are not acknowledged.`);
  }

  private giveUp(reason: string, isRefusal = false): void {
    if (this.isOver || this.isEnding) return;
    this.isOver = true;
    this.detach();
    // What is on its way is lost anyway: a polite end would wait for the server that does not answer.
    this.socket?.destroy();
    this.hooks.onDown(reason, false, isRefusal);
  }
}

function tracksOf({ rendition: { video, audio }, takesHevc }: RtmpOptions): MuxedTracks {
  const isCopy = video?.settings.codec === 'copy';
  const known = audio?.settings.codec === 'copy' ? undefined : audio?.settings;
  return {
    video: video && { pid: video.pid, ...(!isCopy && { fps: fpsOf(video.rate), kbps: video.settings.bitrate }) },
    audio: audio && {
      pid: audio.pid,
      ...(known && { kbps: known.bitrate, rate: known.sample_rate, channels: known.channels }),
    },
    takesHevc,
  };
}
