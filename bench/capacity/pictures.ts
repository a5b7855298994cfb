/** Counts the pictures that a STREAM Destination sends, as they come. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { PACKET_BYTES, pidOf, startsUnit } from '../../device/media/mpeg-ts/mpeg-ts.ts';

const VIDEO_PID = 0x100;

export interface PictureCount {
  url: string;
  pictures(): number;
  close(): void;
}

export async function countPictures(): Promise<PictureCount> {
  let pictures = 0;
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 22 });
  socket.on('message', (bytes) => {
    for (let at = 0; at + PACKET_BYTES <= bytes.length; at += PACKET_BYTES)
      if (pidOf(bytes, at) === VIDEO_PID && startsUnit(bytes, at)) pictures += 1;
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const url = `udp://127.0.0.1:${socket.address().port}`;
  return { url, pictures: () => pictures, close: () => void socket.close() };
}
