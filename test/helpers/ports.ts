/**
 * Ports for tests, from below those that the kernel gives away itself: to who listens on port 0 and to the near end of each connection.
 * Each is held by name until this process ends. So a server that was away finds its port free again, and where a test says that nobody
 * listens, nobody does, whatever else runs on the machine.
 */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Linux gives away 32768 and above, and no daemon of a test's surroundings has a fixed port here. */
const FIRST = 20_000;
const PAIRS = 6000;
const MAX_TRIES = 200;

/** Free for TCP and for UDP. It is even, and the one after it is free too: RTP sends its reports there. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = FIRST + 2 * Math.floor(Math.random() * PAIRS);
    if ((await isHeld(port)) && (await isFree(port)) && (await isFree(port + 1))) return port;
  }
  throw new Error(`No free port from ${FIRST} to ${FIRST + 2 * PAIRS}.`);
}

/** An abstract socket reserves a port: the kernel lets go of it when its process ends, however that comes about. */
function isHeld(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const name = createServer();
    name.once('error', () => resolve(false));
    name.listen(`\0onair-test-port-${port}`, () => {
      name.unref();
      resolve(true);
    });
  });
}

async function isFree(port: number): Promise<boolean> {
  const tcp = await new Promise<boolean>((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
  const udp = await new Promise<boolean>((resolve) => {
    const probe = createSocket('udp4').once('error', () => resolve(false));
    probe.bind(port, () => probe.close(() => resolve(true)));
  });
  return tcp && udp;
}
