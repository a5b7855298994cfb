import { createServer, type AddressInfo } from 'node:net';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';

/** A service in a network that tests forbid, on 127.0.0.2: where it is, and how many have connected to it. */
export async function innerService(t: TestScope): Promise<{ port: number; there: string; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  cleanUp(t, () => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, there: `127.0.0.2:${port}`, connections: () => connections };
}
