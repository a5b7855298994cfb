/** The unix socket of the readers: each says in one line which Channel it reads, and then how it is read (IN_TURNS, AT_ONCE). */
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { Intake } from './intake.ts';
import { PacedSocket } from './paced-turns.ts';

/** The number of a Channel, behind a plus for a reader of one format, and the end of the line. Earlier versions read past the plus. */
const MAX_LINE = 20;

export async function openMediaSocket(path: string, find: (channelId: number) => Intake | undefined): Promise<void> {
  const server = createServer((socket) => onReader(socket, find));
  // A killed predecessor leaves its socket file behind, and bind(2) refuses a name that exists.
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
}

function onReader(socket: Socket, find: (channelId: number) => Intake | undefined): void {
  let line = '';
  // A reader that has gone is left out at the next part.
  socket.on('error', () => undefined);
  const onData = (bytes: Buffer): void => {
    line += bytes.toString('latin1');
    if (!line.includes('\n')) {
      if (line.length > MAX_LINE) socket.destroy();
      return;
    }
    socket.off('data', onData);
    const intake = find(Number(line));
    const reader = new PacedSocket(socket);
    if (intake === undefined) reader.end();
    else intake.read(reader, line.startsWith('+'));
  };
  socket.on('data', onData);
}
