/** UDP ports of this machine that follow each other, all of them or none. */
import { createSocket, type Socket } from 'node:dgram';
import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';

const [FIRST_PORT, PORTS, ATTEMPTS] = [20_000, 40_000, 20];
/** A keyframe comes as hundreds of datagrams at once; the kernel gives less when it has a smaller bound. */
const RECEIVE_BYTES = 2 << 20;

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

/** Binds ports that nobody holds, the first of them even. Rejects when it finds none. */
export async function boundAnywhere(address: string, count: number): Promise<{ sockets: Socket[]; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = FIRST_PORT + 2 * randomInt(PORTS / 2);
    try {
      return { sockets: await boundSockets(address, port, count), port };
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
