/** Two UDP ports of this machine to which an RTSP server sends one track: media on the even one, control on the next (RFC 3550 §11). */
import type { Socket } from 'node:dgram';
import { boundAnywhere } from '../process/udp-sockets.ts';

/** The first packets from here open the way through a router for those of the server; both are empty. */
const EMPTY_RTP = Buffer.from('80000000000000000000000000', 'hex').subarray(0, 12);
const EMPTY_RTCP = Buffer.from('80c9000100000000', 'hex');

export class DatagramPair {
  private readonly sockets: readonly [Socket, Socket];
  readonly ports: [number, number];
  private server: { address: string; ports: [number, number] | undefined };

  private constructor(sockets: readonly [Socket, Socket], port: number, serverAddress: string) {
    this.sockets = sockets;
    this.ports = [port, port + 1];
    this.server = { address: serverAddress, ports: undefined };
  }

  /** Binds on the address from which the server is reached. Rejects when no two ports are free. */
  static async open(localAddress: string, serverAddress: string): Promise<DatagramPair> {
    const { sockets, port } = await boundAnywhere(localAddress, 2);
    return new DatagramPair([sockets[0]!, sockets[1]!], port, serverAddress);
  }

  /** Takes what comes from the server's own address, from whichever port; anybody else's datagrams are left out. */
  receive(onPacket: (at: 0 | 1, data: Buffer) => void): void {
    this.sockets.forEach((socket, at) =>
      socket.on('message', (data, { address }) => {
        if (address === this.server.address) onPacket(at as 0 | 1, data);
      }),
    );
  }

  /** Begins to send to the ports that the server has named. */
  answerTo(ports: [number, number] | undefined): void {
    this.server = { ...this.server, ports };
    this.send(0, EMPTY_RTP);
    this.send(1, EMPTY_RTCP);
  }

  send(at: 0 | 1, data: Buffer): void {
    const port = this.server.ports?.[at];
    // A report that is lost is followed by the next one.
    if (port !== undefined && port !== 0) this.sockets[at].send(data, port, this.server.address, () => undefined);
  }

  close(): void {
    for (const socket of this.sockets) socket.close();
  }
}
