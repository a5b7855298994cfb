/** A connection to an RTMP server that gives a source: the address is checked, and its key is never outside this process but on its way there. */
import { connect, isIP, type NetConnectOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { NetworkRefusal } from '../../../domain/network/networks.ts';
import { RtmpAuthentication, type Credentials } from '../../media/rtmp/rtmp-authentication.ts';
import type { Refusal } from '../../media/rtmp/rtmp-caller.ts';
import { RtmpPlaying } from '../../media/rtmp/rtmp-playing.ts';
import { playedAddress, redirectedTarget, withQuery, type RtmpTarget } from '../../media/rtmp/rtmp-target.ts';
import { isKeyRefusal, SourceTrouble, troubleOfConnection } from '../../media/ffmpeg-output/source-reason.ts';
import { PacedReading } from '../../push/paced-turns.ts';
import type { FlvLink, LinkDeps, LinkHooks } from './flv-link.ts';

/** A host may have many addresses, and its server be a quarter of a second away: each is tried for so long, the last one for longer. */
const PER_ADDRESS_MS = 1500;
/** A server may leave so much of what it asks for unread: a ping is answered by 18 bytes. */
const MAX_UNREAD_BYTES = 65_536;
/** A platform sends players to the server next to them, and that one perhaps to a free one. */
const MAX_REDIRECTS = 3;

export class RtmpLink implements FlvLink {
  private readonly deps: LinkDeps;
  private readonly hooks: LinkHooks;
  private readonly credentials: Credentials | undefined;
  private authentication: RtmpAuthentication;
  private address: RtmpTarget;
  private redirects = 0;
  private socket: Socket | undefined;

  /** Throws NetworkRefusal. */
  constructor(url: string, deps: LinkDeps, hooks: LinkHooks) {
    this.deps = deps;
    this.hooks = hooks;
    const { username, password } = new URL(url);
    if (username !== '') this.credentials = { username: decoded(username), password: decoded(password) };
    this.authentication = new RtmpAuthentication(this.credentials);
    this.address = playedAddress(url);
    this.connect();
  }

  pause(): void {
    this.socket?.pause();
  }

  resume(): void {
    this.socket?.resume();
  }

  close(): void {
    const { socket } = this;
    this.socket = undefined;
    socket?.destroy();
  }

  /** In place of an earlier connection, which has ended with a rejection. */
  private connect(): void {
    this.socket?.destroy();
    const { reach, authorities } = this.deps;
    const { host, port, secure } = this.address;
    // A socket looks names up, and takes an address as it is.
    reach.assertHost(host);
    const place = { host, port, lookup: reach.lookup, autoSelectFamilyAttemptTimeout: PER_ADDRESS_MS, noDelay: true };
    const socket = secure
      ? connectTls({ ...place, ca: authorities(), ...(isIP(host) === 0 && { servername: host }) })
      : // A socket that is paused reads on until it holds so many bytes.
        connect({ ...place, readableHighWaterMark: 1 } as NetConnectOpts);
    // TLS has a buffer of its own, which goes on being read.
    const pace = new PacedReading(socket, () => !secure && this.hooks.mayWait());
    let unread = 0;
    const session = new RtmpPlaying(this.address, {
      send: (bytes, isAnswer) => {
        if (!isAnswer) return void socket.write(bytes);
        unread += bytes.length;
        if (unread > MAX_UNREAD_BYTES)
          return this.end(new SourceTrouble('its server asks on and on, and reads no answer'));
        socket.write(bytes, () => (unread -= bytes.length));
      },
      onMedia: (message) => socket === this.socket && this.hooks.onMessage(message),
      onRefused: (refusal) => this.proceed(refusal),
      onOver: () => this.end(new SourceTrouble('its server has ended the stream')),
    });
    this.socket = socket;
    const isPresent = (): boolean => socket === this.socket;
    socket.once(secure ? 'secureConnect' : 'connect', () => session.start());
    socket.on('data', (bytes: Buffer) => {
      if (!isPresent()) return;
      this.read(session, bytes);
      pace.took(bytes);
    });
    socket.on(
      'error',
      (error) => isPresent() && this.end(error instanceof NetworkRefusal ? error : troubleOfConnection(error)),
    );
    socket.once('close', () => isPresent() && this.end(new SourceTrouble('its server has closed the connection')));
  }

  private read(session: RtmpPlaying, bytes: Buffer): void {
    try {
      session.push(bytes);
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
      this.end(new SourceTrouble('what it sends cannot be read as media', error.message));
    }
  }

  /** A rejection may ask for a user, or lead elsewhere. */
  private proceed({ words, redirect }: Refusal): void {
    if (redirect !== undefined) return this.follow(redirect);
    const step = this.authentication.next(words, this.address.app);
    if (step === undefined) {
      const why = `its server refuses the stream: ${words.replace(/\.$/u, '')}`;
      return this.end(new SourceTrouble(why, words, why, isKeyRefusal(words)));
    }
    if ('refusal' in step) return this.end(new SourceTrouble(`its server ${step.refusal}`, undefined, undefined, true));
    this.address = withQuery(this.address, step.query);
    this.connect();
  }

  private follow(redirect: string): void {
    this.redirects += 1;
    try {
      if (this.redirects > MAX_REDIRECTS) throw new TypeError('it sends on without an end');
      this.address = redirectedTarget(this.address, redirect);
      this.authentication = new RtmpAuthentication(this.credentials);
      this.connect();
    } catch (error) {
      const isRefused = error instanceof NetworkRefusal;
      this.end(isRefused ? error : new SourceTrouble('its server sends on to an address that is not followed'));
    }
  }

  private end(trouble: Error): void {
    if (this.socket === undefined) return;
    this.close();
    this.hooks.onEnd(trouble);
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text;
  }
}
