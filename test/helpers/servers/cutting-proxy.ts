/**
 * A TCP proxy that cuts what goes through it, once so many bytes have gone to the server: both sides lose every connection at once.
 * With `ftp` it stands before the data connections of passive mode too, whose ports the server tells in its replies (RFC 2428 §3).
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Running } from './program.ts';

export interface CuttingProxy extends Running {
  /** Bytes that have gone to the server. */
  sent: number;
  cuts: number;
  /** The next cuts, each after so many bytes since the one before. */
  cutAfter: number[];
  /** At once. */
  cut(): void;
}

export async function startCuttingProxy(
  port: number,
  { cutAfter = [], ftp = false }: { cutAfter?: number[]; ftp?: boolean } = {},
): Promise<CuttingProxy> {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  let sinceCut = 0;
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };

  const listen = async (target: number, isControl: boolean): Promise<number> => {
    const server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
      }
      near.once('close', () => far.destroy());
      far.once('close', () => near.destroySoon());
      near.on('data', (chunk: Buffer) => {
        proxy.sent += chunk.length;
        sinceCut += chunk.length;
        if (sinceCut >= (proxy.cutAfter[0] ?? Infinity)) {
          proxy.cutAfter.shift();
          proxy.cuts += 1;
          sinceCut = 0;
          return cut();
        }
        if (!far.write(chunk)) {
          near.pause();
          far.once('drain', () => near.resume());
        }
      });
      near.once('end', () => far.end());
      if (isControl) passOn(far, near);
      else far.pipe(near);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };

  function passOn(far: Socket, near: Socket): void {
    far.setEncoding('utf8').on('data', async (text: string) => {
      const message = /\(\|\|\|(\d+)\|\)/u.exec(text)?.[1];
      if (message === undefined) return void near.write(text);
      near.write(text.replace(`|||${message}|`, `|||${await listen(Number(message), false)}|`));
    });
  }

  const proxy: CuttingProxy = {
    port: 0,
    sent: 0,
    cuts: 0,
    cutAfter: [...cutAfter],
    cut,
    async stop() {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) {
        server.close();
        await once(server, 'close');
      }
    },
  };
  proxy.port = await listen(port, ftp);
  return proxy;
}
