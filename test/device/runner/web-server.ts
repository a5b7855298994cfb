/** A web server for sources: files of a folder, and answers made up by the test. */
import { createReadStream, existsSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { openMediaServer } from '../../../device/agent/media-server.ts';
import { silentLog } from '../../helpers/silent-log.ts';

export interface WebServer {
  url: string;
  /** Paths that were asked for, in their order. */
  requests: string[];
}

export async function startWebServer(
  t: TestScope,
  dir: string,
  made: Record<string, (response: ServerResponse) => void> = {},
): Promise<WebServer> {
  const requests: string[] = [];
  const server = createServer((incoming, response) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://host');
    requests.push(incoming.url ?? '');
    response.on('error', () => undefined);
    const path = join(dir, pathname);
    if (made[pathname] !== undefined) return made[pathname](response);
    if (!existsSync(path)) return void response.writeHead(404).end();
    createReadStream(path)
      .on('error', () => response.destroy())
      .pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Serves the files of a Device at the URL answered. */
export async function serveLive(t: TestScope, deviceDir: string): Promise<string> {
  const server = await openMediaServer({ deviceDir, host: '127.0.0.1', port: 0, formerPort: 0, log: silentLog });
  cleanUp(t, () => server.close());
  return server.url;
}
