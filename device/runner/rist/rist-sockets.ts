/** UDP ports of one connection of RIST: one in the main profile; two that follow each other in the simple one, the first of them even. */
import { createSocket, type Socket } from 'node:dgram';
import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';

/** A keyframe comes as hundreds of datagrams at once; the kernel gives less when it has a smaller bound. */
const RECEIVE_BYTES = 2 << 20;
const [FIRST_PORT, PORTS, ATTEMPTS] = [20_000, 40_000, 20];

/** Rejects when a port is in use. Port 0 is any. */
export async function boundSockets(address: string, port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  try {
    for (let at = 0; at < count; at += 1) sockets.push(await bound(address, port === 0 ? 0 : port + at));
    return sockets;
  } catch (error) {
    for (const socket of sockets) socket.close();
    throw error;
  }
}

/** Ports of loopback that nobody holds now, for an ffmpeg that opens them at once. */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = FIRST_PORT + 2 * randomInt(PORTS / 2);
    try {
      for (const socket of await boundSockets('127.0.0.1', port, count)) socket.close();
      return port;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function bound(address: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BYTES });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, address, resolve);
  });
  // An ICMP answer to a datagram says that the other port is closed; the silence that follows tells as much.
  socket.removeAllListeners('error').on('error', () => undefined);
  return socket;
}
