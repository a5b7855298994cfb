/**
 * The way of an ingest's ffmpeg to its RIST peer. librist mixes what several senders send to one port, and takes a sender without
 * encryption where it has a secret; so a relay stands before it, which lets in one sender at a time and nobody without encryption.
 */
import type { Socket } from 'node:dgram';
import { listensForRist, type RistSettings } from '../../../domain/network/rist.ts';
import { bareHost } from '../../../domain/network/networks.ts';
import type { InputRelay } from '../../media/arguments/input-feed.ts';
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import { datagramIssue } from './rist-datagram.ts';
import { boundAnywhere, boundSockets } from '../process/udp-sockets.ts';

/** A sender that has been silent for so long, or that librist no longer answers, has gone; librist itself gives it 2 s. */
const GONE_MS = 3000;
/** Strangers that librist has not answered yet. */
const MAX_WAITING = 8;

interface Sender {
  address: string;
  /** From which it sends media, and reports. */
  ports: number[];
  /** Its own ways to ffmpeg, so that librist tells senders apart. */
  inner: Socket[];
  heardAt: number;
  /** When librist has answered it, which it does once it can read what it sends. */
  answeredAt: number | undefined;
}

export interface OpenedRelay extends InputRelay {
  /** The address for ffmpeg. */
  url: string;
}

/** `address` is the checked address of a sender that is called; for a listener it counts for nothing. Rejects with SourceTrouble. */
export async function openRistRelay(source: string, settings: RistSettings, address: string): Promise<OpenedRelay> {
  const url = new URL(source);
  const port = Number(url.port);
  if (!listensForRist(source)) return openCaller(address, port, settings);
  const count = settings.profile === 'simple' ? 2 : 1;
  try {
    const outer = await boundSockets(bareHost(url.hostname), port, count);
    return new RistListener(outer, await freePorts(count), settings);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE' ? `its UDP port ${port} is in use on this Device` : `it cannot listen: ${message}`;
    throw new SourceTrouble(why, message, why, true);
  }
}

class RistListener implements OpenedRelay {
  readonly url: string;
  private readonly outer: Socket[];
  private readonly innerPort: number;
  private readonly settings: RistSettings;
  private readonly senders = new Map<string, Sender>();
  private refused: string | undefined;
  private isClosed = false;

  constructor(outer: Socket[], innerPort: number, settings: RistSettings) {
    this.outer = outer;
    this.innerPort = innerPort;
    this.settings = settings;
    this.url = `rist://@127.0.0.1:${innerPort}`;
    for (const [at, socket] of outer.entries())
      socket.on('message', (data, { address, port }) => this.take(at, data, address, port));
  }

  get trouble(): SourceTrouble | undefined {
    return this.refused === undefined ? undefined : new SourceTrouble(this.refused);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const sender of this.senders.values()) closeAll(sender.inner);
    closeAll(this.outer);
  }

  private take(at: number, data: Buffer, address: string, port: number): void {
    const issue = datagramIssue(data, this.settings);
    if (issue !== undefined) {
      this.refused = `${address} ${issue}`;
      return;
    }
    // Media and reports of the simple profile come from two ports.
    const key = this.outer.length === 2 ? address : `${address} ${port}`;
    const now = performance.now();
    const sender = this.senders.get(key) ?? this.admitted(key, address, now);
    if (sender === undefined) return;
    sender.heardAt = now;
    sender.ports[at] = port;
    // The first datagrams of a sender come before its socket has a port.
    sender.inner[at]?.send(data, this.innerPort + at, '127.0.0.1', () => undefined);
  }

  /** Undefined while another one is taken in. */
  private admitted(key: string, address: string, now: number): Sender | undefined {
    for (const [other, { heardAt, answeredAt, inner }] of this.senders) {
      if (now - heardAt < GONE_MS && (answeredAt === undefined || now - answeredAt < GONE_MS)) {
        if (answeredAt !== undefined) return undefined;
        continue;
      }
      closeAll(inner);
      this.senders.delete(other);
    }
    if (this.senders.size >= MAX_WAITING) return undefined;
    const sender: Sender = { address, ports: [], inner: [], heardAt: now, answeredAt: undefined };
    this.senders.set(key, sender);
    void this.connect(key, sender);
    return sender;
  }

  private async connect(key: string, sender: Sender): Promise<void> {
    const sockets: Socket[] = [];
    for (const at of this.outer.keys()) {
      const [socket] = await boundSockets('127.0.0.1', 0, 1).catch(() => []);
      if (socket === undefined) continue;
      socket.on('message', (data) => this.answer(at, data, key, sender));
      sockets.push(socket);
    }
    if (this.isClosed || this.senders.get(key) !== sender) return closeAll(sockets);
    sender.inner = sockets;
  }

  private answer(at: number, data: Buffer, key: string, sender: Sender): void {
    if (this.isClosed || this.senders.get(key) !== sender) return;
    if (sender.answeredAt === undefined) this.choose(key);
    sender.answeredAt = performance.now();
    this.refused = undefined;
    const port = sender.ports[at];
    if (port !== undefined) this.outer[at]!.send(data, port, sender.address, () => undefined);
  }

  private choose(key: string): void {
    for (const [other, { inner }] of this.senders) {
      if (other === key) continue;
      closeAll(inner);
      this.senders.delete(other);
    }
  }
}

/** A sender of the main profile that waits for this receiver. */
async function openCaller(address: string, port: number, settings: RistSettings): Promise<OpenedRelay> {
  const [inner] = await boundSockets('127.0.0.1', 0, 1);
  const [outer] = await boundSockets(address.includes(':') ? '::' : '0.0.0.0', 0, 1);
  let ffmpegPort: number | undefined;
  let trouble: string | undefined = 'its address does not answer';
  inner!.on('message', (data, { port: from }) => {
    ffmpegPort = from;
    outer!.send(data, port, address, () => undefined);
  });
  outer!.on('message', (data, from) => {
    if (from.address !== address || from.port !== port) return;
    const issue = datagramIssue(data, settings);
    trouble = issue === undefined ? undefined : `its address ${issue}`;
    if (issue === undefined && ffmpegPort !== undefined) inner!.send(data, ffmpegPort, '127.0.0.1', () => undefined);
  });
  return {
    url: `rist://127.0.0.1:${inner!.address().port}`,
    get trouble() {
      return trouble === undefined ? undefined : new SourceTrouble(trouble);
    },
    close: () => closeAll([inner!, outer!]),
  };
}

const closed = new WeakSet<Socket>();

function closeAll(sockets: readonly Socket[]): void {
  for (const socket of sockets) {
    if (closed.has(socket)) continue;
    closed.add(socket);
    socket.close();
  }
}

/** Ports of loopback that nobody holds now, for an ffmpeg that opens them at once. */
async function freePorts(count: number): Promise<number> {
  const { sockets, port } = await boundAnywhere('127.0.0.1', count);
  for (const socket of sockets) socket.close();
  return port;
}
