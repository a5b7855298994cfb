/** The UDP port of one SRT listener Channel: it is open all the time, and lets in one caller after the other. */
import { createHmac, randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket, type SocketOptions } from 'node:dgram';
import { lookup } from 'node:dns';
import { isIP, isIPv6 } from 'node:net';
import { systemClock } from '../../domain/time/clock.ts';
import type { RefusalReason } from '../../domain/shapes/sources/ingest.ts';
import { bareHost } from '../../domain/network/networks.ts';
import { srtKeyBits } from '../../domain/network/srt.ts';
import { WrongSecrets } from '../../domain/network/wrong-secrets.ts';
import {
  inductionAnswer,
  liveRequestOf,
  readHandshake,
  refusalAnswer,
  SRT_REFUSALS,
  type SrtHandshake,
} from '../media/srt/srt-handshake.ts';
import { asksForGcm } from '../media/srt/srt-keys.ts';
import type { Intake } from './intake.ts';
import { isAllowed, notAllowed, plainAddress } from './senders.ts';
import { SrtCaller, type SrtOffer } from './srt-caller.ts';
import { TsIntake } from './ts-intake.ts';

const RETRY_MS = 1000;
const COOKIE_MS = 60_000;
/** A caller repeats its handshake every 250 ms for 3 s: all of them are one refusal. */
const SAME_REFUSAL_MS = 5000;
const MAX_REMEMBERED = 256;
const SOCKET_BYTES = 4 << 20;
const DEFAULT_LATENCY_MS = 200;
const NO_LIVE_STREAM =
  'It asks for more than a live stream (a file, or several lines in a bonded group), or speaks SRT of before version 1.3; set its encoder to live mode, or renew it.';

/** An encoder that proved its passphrase waits no longer for those who guess it at its address, who get 1,800 guesses an hour by that. */
const MAX_KNOWN_WAIT_MS = 2000;

interface Peer {
  from: RemoteInfo;
  caller: SrtCaller;
}

/** A caller that may be let in. */
interface Attempt {
  name: string;
  /** The secret by which it is known again. */
  requested: string;
  guess: string;
}

export class SrtPort {
  readonly intake: Intake;
  private readonly host: string;
  private readonly port: number;
  private readonly salt = randomBytes(32);
  private readonly socketId = randomBytes(4).readUInt32BE() >>> 2;
  private socket: Socket | undefined;
  private retry: NodeJS.Timeout | undefined;
  /** It is connected, so its passphrase is right. */
  private current: Peer | undefined;
  /** Its key is looked at. Until it is connected, it takes nobody's place. */
  private next: Peer | undefined;
  private readonly refusedAt = new Map<string, number>();
  private readonly wrong = new WrongSecrets();
  /** A caller repeats its handshake, with the same key: the same guess of the same caller counts once. */
  private lastGuess = '';
  private isClosed = false;

  constructor(host: string, port: number, intake: Intake) {
    this.host = bareHost(host);
    this.port = port;
    this.intake = intake;
    this.open();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.retry);
    for (const peer of [this.next, this.current]) peer?.caller.end('The Channel is not listened for any more.');
    this.socket?.close();
    this.socket = undefined;
  }

  /** A port that is taken is tried again: whoever has it may leave. */
  private open(): void {
    const socket = createSocket({ type: isIPv6(this.host) ? 'udp6' : 'udp4', lookup: asItIs });
    let isOpen = false;
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // An open port goes on: only a single datagram has failed.
      if (isOpen || this.isClosed) return;
      socket.close();
      const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened on ${this.host} (${error.code})`;
      this.intake.setError(`UDP port ${this.port} for SRT ${why} on this Device; set another port in the Channel.`);
      this.retry = setTimeout(() => this.open(), RETRY_MS);
    });
    socket.on('message', (data, from) => this.onDatagram(data, from));
    socket.bind(this.port, this.host, () => {
      if (this.isClosed) {
        socket.close();
        return;
      }
      isOpen = true;
      this.socket = socket;
      socket.setRecvBufferSize(SOCKET_BYTES);
      socket.setSendBufferSize(SOCKET_BYTES);
      this.intake.setError(null);
    });
  }

  private onDatagram(data: Buffer, from: RemoteInfo): void {
    // Nobody can be answered at port 0, and Node throws.
    if (from.port === 0) return;
    const known = isOf(this.current, from) ? this.current : isOf(this.next, from) ? this.next : undefined;
    if (known !== undefined) {
      known.caller.take(data);
      return;
    }
    const peer = `${from.address} ${from.port}`;
    const handshake = readHandshake(data);
    if (handshake === undefined) return;
    const { settings } = this.intake.order;
    const address = plainAddress(from.address);
    if (!isAllowed(address, settings.allowed_senders)) {
      // It gets no answer at all.
      this.note(peer, 'sender', address, notAllowed(address));
      return;
    }
    if (handshake.kind === 'induction')
      this.send(inductionAnswer(data, this.cookie(peer, 0), this.socketId, srtKeyBits(settings)), from);
    if (handshake.kind !== 'conclusion') return;
    if (handshake.cookie !== this.cookie(peer, 0) && handshake.cookie !== this.cookie(peer, 1)) return;
    const refuse = (reason: 'busy' | 'streamid' | 'passphrase' | 'codec', message: string): void => {
      this.send(refusalAnswer(data, SRT_REFUSALS[reason]), from);
      this.note(peer, reason, address, message);
    };
    const isEncrypted = srtKeyBits(settings) !== 0;
    const { keyMaterial } = handshake;
    const request = liveRequestOf(data, settings.latency_ms ?? DEFAULT_LATENCY_MS);
    const guess = `${peer} ${handshake.streamId} ${keyMaterial?.toString('hex') ?? ''}`;
    const requested = requestedBy(handshake, isEncrypted);
    const isRepeated = guess === this.lastGuess;
    if (!isRepeated && this.wrong.waitSeconds(address, requested, isEncrypted ? MAX_KNOWN_WAIT_MS : 0) > 0) {
      this.send(refusalAnswer(data, SRT_REFUSALS.wait), from);
      return;
    }
    if (settings.streamid !== undefined && handshake.streamId !== settings.streamid) {
      if (!isRepeated) this.wrong.count(address);
      this.lastGuess = guess;
      refuse('streamid', 'The stream id is wrong.');
    } else if (isEncrypted !== (keyMaterial !== undefined))
      refuse(
        'passphrase',
        isEncrypted ? 'It sends without a passphrase.' : 'It sends with a passphrase, and the Channel has none.',
      );
    else if (keyMaterial !== undefined && asksForGcm(keyMaterial))
      refuse('passphrase', 'It encrypts with AES-GCM, which is not taken; set its crypto mode to AES-CTR.');
    else if (request === undefined) refuse('codec', NO_LIVE_STREAM);
    else if (isRepeated) this.send(refusalAnswer(data, SRT_REFUSALS.badSecret), from);
    else if (this.intake.isBusy) refuse('busy', 'Somebody sends here already.');
    else if (this.next === undefined)
      this.letIn({ conclusion: data, handshake, request }, from, { name: peer, requested, guess });
    // Without an answer the caller repeats its conclusion, and by then it is known whether the place is free.
  }

  private letIn(offer: SrtOffer, from: RemoteInfo, { name, requested, guess }: Attempt): void {
    const address = plainAddress(from.address);
    const media = new TsIntake(this.intake);
    const caller: SrtCaller = new SrtCaller(this.intake.order, offer, {
      send: (data) => this.send(data, from),
      onConnected: () => {
        this.wrong.noteRight(address, requested);
        [this.current, this.next] = [peer, undefined];
        // One who was silent is dismissed by it.
        this.intake.admit({ from: address, media, dismiss: () => caller.end('It was sent away.') });
      },
      onRefused: () => {
        this.wrong.count(address);
        this.lastGuess = guess;
        this.note(name, 'passphrase', address, 'The passphrase is wrong.');
      },
      onMedia: (bytes) => media.take(bytes),
      mayWait: () => this.intake.mayWait,
      onEnd: (why) => {
        if (this.current === peer) this.current = undefined;
        if (this.next === peer) this.next = undefined;
        media.depart(why);
      },
    });
    const peer: Peer = { from, caller };
    this.next = peer;
  }

  private note(peer: string, reason: RefusalReason, address: string, message: string): void {
    const now = performance.now();
    for (const [key, at] of this.refusedAt) if (now - at > SAME_REFUSAL_MS) this.refusedAt.delete(key);
    if (this.refusedAt.has(peer) || this.refusedAt.size >= MAX_REMEMBERED) return;
    this.refusedAt.set(peer, now);
    this.intake.refuse(reason, address, message);
  }

  private send(data: Buffer, { port, address }: RemoteInfo): void {
    this.socket?.send(data, port, address);
  }

  /** Only who receives at its address can repeat it. */
  private cookie(peer: string, earlier: number): number {
    const minute = Math.floor(systemClock.now() / COOKIE_MS) - earlier;
    return createHmac('sha256', this.salt).update(`${minute} ${peer}`).digest().readUInt32BE();
  }
}

function isOf(peer: Peer | undefined, { port, address }: RemoteInfo): boolean {
  return peer?.from.port === port && peer.from.address === address;
}

/** Who is answered is known by its address: there is nothing to wait for. */
const asItIs: SocketOptions['lookup'] = (host, options, done) => {
  const family = isIP(host);
  if (family === 0) lookup(host, options, done);
  else done(null, host, family);
};

/** The passphrase itself is not known before it is proved, so that an encrypted caller is known by having proved one. */
function requestedBy({ streamId }: SrtHandshake, isEncrypted: boolean): string {
  return isEncrypted ? `encrypted ${streamId}` : `clear ${streamId}`;
}
