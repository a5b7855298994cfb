/** A line between two machines that a test cuts, or lets fall silent: a TCP proxy on loopback. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Line {
  readonly port: number;
  /** Ends what is connected; new connections get through. */
  cut(): void;
  /** Nothing gets through any more, and nobody is told: in either direction, or from the far end alone. */
  stall(from?: 'far'): void;
  /** The line is as it was at the beginning; what hung on it is ended. */
  mend(): void;
  /** Ends a connection once so many bytes have come from its far end, once. */
  cutAfter(bytes: number): void;
  /** Connections that have been made so far. */
  count(): number;
  close(): void;
}

/** A line to a port of this machine, which may be another for each connection. */
export async function openLine(target: number | (() => number)): Promise<Line> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const stalled = { near: false, far: false };
  let left = Infinity;
  let count = 0;
  const server = createServer((near) => {
    count += 1;
    const far = connect(typeof target === 'number' ? target : target(), '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    near.on('data', (chunk: Buffer) => void (stalled.near || far.write(chunk)));
    far.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left <= 0) {
        left = Infinity;
        return end();
      }
      if (!stalled.far) near.write(chunk);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const cut = (): void => {
    for (const pair of [...pairs]) for (const socket of pair) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    stall(from) {
      stalled.near = from === undefined;
      stalled.far = true;
    },
    mend() {
      stalled.near = stalled.far = false;
      cut();
    },
    cutAfter: (bytes) => void (left = bytes),
    count: () => count,
    close() {
      server.close();
      cut();
    },
  };
}
