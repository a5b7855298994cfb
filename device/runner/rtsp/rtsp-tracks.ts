/** Tracks that come as datagrams, and leave as interleaved frames (RFC 2326 §10.12). */
import type { Socket } from 'node:net';
import { RtpOrder } from '../../media/rtsp/rtp-order.ts';
import { writeFrame } from '../../media/rtsp/rtsp-message.ts';
import { udpTransport } from '../../media/rtsp/rtsp-transport.ts';
import { DatagramPair } from './datagram-pair.ts';

/** Datagrams cannot be held back at the server: what a reader is slower than by so many bytes is lost, as on a network that is full. */
const MAX_WAITING_BYTES = 4 << 20;

export interface Track {
  pair: DatagramPair;
  channels: [media: number, control: number];
  /** What the server is asked for. */
  transport: string;
}

export class RtspTracks {
  private readonly client: Socket;
  private readonly tracks: Track[] = [];
  private isClosed = false;

  constructor(client: Socket) {
    this.client = client;
  }

  /** Opens ports for one track of the server behind this connection. Rejects when there are none. */
  async open(server: Socket, channels: [number, number]): Promise<Track> {
    const pair = await DatagramPair.open(server.localAddress ?? '', server.remoteAddress ?? '');
    if (this.isClosed) {
      pair.close();
      throw new Error('The connection is over.');
    }
    const order = new RtpOrder((packet) => this.write(channels[0], packet));
    pair.receive((at, data) => {
      if (at === 0) order.push(data, performance.now());
      else this.write(channels[1], data);
    });
    const track = { pair, channels, transport: udpTransport(pair.ports) };
    this.tracks.push(track);
    return track;
  }

  /** Sends a report, which came as an interleaved frame, to the server of its track. */
  report(frame: Buffer): void {
    for (const { pair, channels } of this.tracks) {
      const at = channels.indexOf(frame[1]!);
      if (at === 0 || at === 1) pair.send(at, frame.subarray(4));
    }
  }

  close(): void {
    this.isClosed = true;
    for (const { pair } of this.tracks) pair.close();
    this.tracks.length = 0;
  }

  private write(channel: number, data: Buffer): void {
    if (this.client.writable && this.client.writableLength < MAX_WAITING_BYTES)
      this.client.write(writeFrame(channel, data));
  }
}
