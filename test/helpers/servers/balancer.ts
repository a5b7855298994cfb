/** HAProxy before three servers, as docs/fleet/haproxy.cfg has it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lacking, removeFolder, scratchFolder, startProgram, type Running } from './program.ts';

export const balancerMissing = lacking({ haproxy: 'haproxy' });

const CONFIGURATION = fileURLToPath(new URL('../../../docs/fleet/haproxy.cfg', import.meta.url));

/** `ports` are those of the three servers on this machine. */
export async function startBalancer(port: number, ports: readonly number[]): Promise<Running> {
  const dir = scratchFolder('balancer');
  const text = readFileSync(CONFIGURATION, 'utf8')
    // As many file descriptors as those connections need are not everywhere.
    .replace('maxconn 10000', 'maxconn 2000')
    .replace('bind :8090', `bind 127.0.0.1:${port}`)
    .replaceAll(/onair-(\d):8090/gu, (_, number) => `127.0.0.1:${ports[Number(number) - 1]}`);
  writeFileSync(join(dir, 'haproxy.cfg'), text);
  const running = await startProgram('haproxy', ['-db', '-f', join(dir, 'haproxy.cfg')], port);
  return { ...running, stop: () => running.stop().then(() => removeFolder(dir)) };
}
