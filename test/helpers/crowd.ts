/** Strangers who hold connections to a port. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { cleanUp, type TestScope } from './clean-up.ts';

/** Opens so many connections, each of which sends `first` and is silent from then on, and reads nothing unless it is to. */
export async function crowd(
  t: TestScope,
  port: number,
  count: number,
  { from = '127.0.0.1', first = '' as string | Buffer, isReading = true } = {},
): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from, family: 4 });
    if (isReading) socket.resume();
    if (first.length > 0) socket.write(first);
    return socket.on('error', () => undefined);
  });
  cleanUp(t, () => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}
