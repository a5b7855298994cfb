/** Takes in what comes by UDP or RTP to a port of this machine, or to a group: the payload of each datagram, in order. */
import { createSocket, type Socket } from 'node:dgram';
import { RtpOrder } from '../../media/rtsp/rtp-order.ts';
import { isTransportStream, rtpPayload, rtpSender } from '../../media/rtsp/rtp-payload.ts';
import type { DatagramSource } from './datagram-source.ts';

/** A burst of a second at 20 Mbit/s; the kernel counts about twice what a datagram brings. */
export const RECEIVE_BYTES = 4 << 20;

export interface DatagramHooks {
  onBytes(bytes: Buffer): void;
  /** It takes something else than a transport stream by RTP. */
  onUnfit(why: string): void;
  /** The socket has failed. */
  onError(error: Error): void;
}

export class DatagramsIn {
  private readonly socket: Socket;
  private readonly hooks: DatagramHooks;
  private readonly isRtp: boolean;
  private order: RtpOrder | undefined;
  private sender: number | undefined;
  private isClosed = false;

  private constructor(socket: Socket, { isRtp }: DatagramSource, hooks: DatagramHooks) {
    this.socket = socket;
    this.hooks = hooks;
    this.isRtp = isRtp;
    socket.on('message', (data) => this.take(data));
    socket.on('error', (error) => this.hooks.onError(error));
  }

  /** Rejects with the error of the port or of the group. */
  static async open(source: DatagramSource, hooks: DatagramHooks): Promise<DatagramsIn> {
    const socket = createSocket({
      type: source.isIPv6 ? 'udp6' : 'udp4',
      reuseAddr: source.isShared,
      recvBufferSize: RECEIVE_BYTES,
    });
    try {
      await bound(socket, source);
      join(socket, source);
    } catch (error) {
      socket.close();
      throw error;
    }
    return new DatagramsIn(socket, source, hooks);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.socket.close();
  }

  private take(data: Buffer): void {
    if (this.isClosed) return;
    if (!this.isRtp) return this.hooks.onBytes(data);
    const sender = rtpSender(data);
    if (sender === undefined) return;
    if (!isTransportStream(data)) return this.hooks.onUnfit('its RTP packets hold no transport stream');
    // One that has begun anew counts from anywhere.
    if (sender !== this.sender) this.order = undefined;
    this.sender = sender;
    this.order ??= new RtpOrder((packet) => this.hooks.onBytes(rtpPayload(packet)));
    this.order.push(data, performance.now());
  }
}

/** A socket that is bound to a group gets nothing that is sent to another one on the same port. */
async function bound(socket: Socket, { group, localAddress, port }: DatagramSource): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ port, exclusive: true, ...addressOf(group ?? localAddress) }, () => {
      socket.off('error', reject);
      resolve();
    });
  });
}

function addressOf(address: string | undefined): { address?: string } {
  return address === undefined ? {} : { address };
}

function join(socket: Socket, { group, localAddress, senders }: DatagramSource): void {
  if (group === undefined) return;
  for (const sender of senders) socket.addSourceSpecificMembership(sender, group, localAddress);
  if (senders.length === 0) socket.addMembership(group, localAddress);
}
