/** An encoder that publishes by RTMP what a test gives it, message by message: ffmpeg decides itself what belongs into FLV. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { RtmpPublishing } from '../../device/media/rtmp/rtmp-publishing.ts';
import { until } from './until.ts';

export interface RtmpPlace {
  port: number;
  app: string;
  key: string;
}

export interface RtmpEncoder {
  publishing: RtmpPublishing;
  socket: Socket;
}

/** Resolves when the server takes media. */
export async function rtmpEncoder({ port, app, key }: RtmpPlace): Promise<RtmpEncoder> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  let isPublishing = false;
  let refusal: string | undefined;
  const publishing = new RtmpPublishing(
    { url: `rtmp://127.0.0.1:${port}/${app}`, app, key },
    {
      send: (bytes) => void socket.write(bytes),
      onPublishing: () => (isPublishing = true),
      onRefused: ({ words }) => (refusal = words),
    },
  );
  socket.on('data', (bytes: Buffer) => publishing.push(bytes));
  publishing.start();
  await until('publishing', () => {
    if (refusal !== undefined) throw new Error(`The encoder was refused: ${refusal}`);
    return isPublishing;
  });
  return { publishing, socket };
}
