/** A network between two UDP peers of one machine: each datagram takes some time, and some are lost, the same ones in each run. */
import { createSocket, type Socket } from 'node:dgram';
import { cleanUp, type TestScope } from './clean-up.ts';

export interface LossyRelay {
  port: number;
  lost(): number;
}

export interface Line {
  /** Out of a hundred, each way. */
  lossPercent: number;
  delayMs: number;
}

export async function lossyRelay(t: TestScope, target: number, { lossPercent, delayMs }: Line): Promise<LossyRelay> {
  const [near, far] = [createSocket('udp4'), createSocket('udp4')];
  let caller = 0;
  let lost = 0;
  let seed = 1;
  let isOver = false;
  const pass = (data: Buffer, by: Socket, port: number): void => {
    seed = (seed * 48_271) % 0x7fffffff;
    if (seed % 100 < lossPercent) {
      lost += 1;
      return;
    }
    setTimeout(() => {
      if (!isOver) by.send(data, port, '127.0.0.1', () => undefined);
    }, delayMs);
  };
  near.on('message', (data, { port }) => {
    caller = port;
    pass(data, far, target);
  });
  far.on('message', (data) => pass(data, near, caller));
  for (const socket of [near, far]) {
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  }
  cleanUp(t, () => {
    isOver = true;
    near.close();
    far.close();
  });
  return { port: near.address().port, lost: () => lost };
}
