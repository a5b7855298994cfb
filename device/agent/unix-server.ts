/** Servers on unix sockets of the Device directory. */
import { rm } from 'node:fs/promises';
import type { Server } from 'node:http';

/** Only the owner may connect. This process has the lock, so a socket file that is there already is a dead agent's. */
export async function listenOn(socket: string, server: Server): Promise<Server> {
  await rm(socket, { force: true });
  // Connections of the control plane are kept longer than its longest pause between calls, which saves connects.
  server.keepAliveTimeout = 60_000;
  return new Promise((done, failed) => {
    server.once('error', failed);
    // A unix socket is bound within the call to listen: nothing else that makes files runs under this umask.
    const umask = process.umask(0o177);
    server.listen(socket, () => done(server));
    process.umask(umask);
  });
}

/** Open connections are cut: their clients call the next agent again. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
