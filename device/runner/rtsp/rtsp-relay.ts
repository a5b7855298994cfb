/**
 * The way of an ingest's ffmpeg to RTSP servers: a relay on loopback that resolves each host itself, connects to the address that it has
 * checked, and proves who asks. ffmpeg knows neither the address nor the credentials.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Reach } from '../../../domain/network/networks.ts';
import type { RtspMessage } from '../../media/rtsp/rtsp-message.ts';
import { RtspReader } from '../../media/rtsp/rtsp-message.ts';
import { RtspSession, type RtspTarget } from './rtsp-session.ts';

/** An ffmpeg that has been given an address connects within this time. */
const UNUSED_MS = 30_000;
const FIRST_REQUEST_MS = 5000;
/** It is less than ffmpeg's own limit of 5 s, so that the reason arrives; the connection and all tries of a request are in it. */
const ANSWER_MS = 4500;

export type RtspTransportSetting = RtspTarget['transport'];

export class RtspRelay {
  private readonly server: Server;
  private readonly reach: Reach;
  private readonly authorities: () => string[];
  private readonly answerMs: number;
  private readonly targets = new Map<string, { target: RtspTarget; timer: NodeJS.Timeout }>();
  private readonly sockets = new Set<Socket>();
  private readonly sessions = new Set<RtspSession>();

  private constructor(reach: Reach, authorities: () => string[], answerMs: number) {
    this.reach = reach;
    this.authorities = authorities;
    this.answerMs = answerMs;
    this.server = createServer({ noDelay: true }, (client) => this.onConnection(client));
    // A connection that cannot be accepted fails in its client, which reports it.
    this.server.on('error', () => undefined);
  }

  /** `authorities`: PEM, for rtsps. `answerMs`: the time that a server has for each answer. */
  static async open(reach: Reach, authorities: () => string[], answerMs = ANSWER_MS): Promise<RtspRelay> {
    const relay = new RtspRelay(reach, authorities, answerMs);
    await new Promise<void>((resolve, reject) => {
      relay.server.once('error', reject);
      relay.server.listen(0, '127.0.0.1', resolve);
    });
    return relay;
  }

  /** Returns the address for ffmpeg of a source. It serves one connection, so nobody else can read the source by it. */
  addressOf(source: string, transport: RtspTransportSetting = 'auto'): string {
    const token = randomBytes(12).toString('hex');
    const timer = setTimeout(() => this.targets.delete(token), UNUSED_MS);
    timer.unref();
    const { reach, authorities, answerMs } = this;
    this.targets.set(token, { target: { source: new URL(source), transport, reach, authorities, answerMs }, timer });
    return `rtsp://127.0.0.1:${(this.server.address() as AddressInfo).port}/${token}`;
  }

  close(): void {
    this.server.close();
    for (const { timer } of this.targets.values()) clearTimeout(timer);
    this.targets.clear();
    for (const session of this.sessions) session.close();
    for (const socket of this.sockets) socket.destroy();
  }

  /** The first request names the source; all that follows belongs to it. */
  private onConnection(client: Socket): void {
    this.sockets.add(client);
    // The close event follows.
    client.on('error', () => undefined);
    client.once('close', () => this.sockets.delete(client));
    client.setTimeout(FIRST_REQUEST_MS, () => client.destroy());
    let session: RtspSession | undefined;
    const reader = new RtspReader({
      onMessage: (message) => {
        session ??= this.sessionFor(client, message);
        session?.request(message);
      },
      onFrame: (frame) => session?.frameOfClient(frame),
    });
    client.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch {
        // Whoever speaks no RTSP here is not an ffmpeg of ours.
        client.destroy();
      }
    });
  }

  private sessionFor(client: Socket, { start }: RtspMessage): RtspSession | undefined {
    const [, alias, token = ''] = /^\S+ (rtsp:\/\/127\.0\.0\.1:\d+\/([\da-f]{24}))\/? /u.exec(start) ?? [];
    const found = this.targets.get(token);
    if (alias === undefined || found === undefined) {
      client.destroy();
      return undefined;
    }
    clearTimeout(found.timer);
    this.targets.delete(token);
    client.setTimeout(0);
    const session = new RtspSession(client, alias, found.target);
    this.sessions.add(session);
    client.once('close', () => {
      this.sessions.delete(session);
      session.close();
    });
    return session;
  }
}
