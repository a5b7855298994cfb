/** An RTMP server that writes the pictures that it is given into a file, as an elementary stream. */
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { RtmpSession } from '../../device/media/rtmp/rtmp-session.ts';
import { picturesIn } from '../../test/device/runner/rtmp-sink.ts';

export interface RtmpFile {
  path: string;
  url: string;
  close(): Promise<void>;
}

export async function rtmpFile(path: string): Promise<RtmpFile> {
  const file = createWriteStream(path);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const session = new RtmpSession({
      send: (bytes) => void socket.write(bytes),
      admit: () => undefined,
      onMedia: (message) => void (message.type === 9 && file.write(picturesIn([message]).annexB)),
      onDone: () => void socket.end(),
    });
    socket.on('data', (bytes: Buffer) => session.push(bytes));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    path,
    url: `rtmp://127.0.0.1:${(server.address() as AddressInfo).port}/live`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      file.end();
      await once(file, 'close');
    },
  };
}
