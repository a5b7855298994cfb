/** HAProxy before several servers: one address, of which a server that is gone is left out within two seconds. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lacking, removeFolder, scratchFolder, startProgram, type Running } from './program.ts';

export const balancerMissing = lacking({ haproxy: 'haproxy' });

/** `ports` are those of the servers on this machine. */
export async function startBalancer(port: number, ports: readonly number[]): Promise<Running> {
  const dir = scratchFolder('balancer');
  const servers = ports.map((each) => `  server s${each} 127.0.0.1:${each} check inter 1s fall 2 rise 1`);
  writeFileSync(
    join(dir, 'haproxy.cfg'),
    `global
  maxconn 2000
defaults
  mode http
  timeout connect 1s
  timeout client 5m
  timeout server 5m
  timeout check 1s
  retries 3
  option redispatch 1
frontend all
  bind 127.0.0.1:${port}
  default_backend servers
backend servers
  retry-on conn-failure empty-response
  # A call whose connection broke may have been carried out: only one with an Idempotency-Key is safe to send to another server.
  http-request disable-l7-retry unless METH_GET or { req.hdr(idempotency-key) -m found }
  option httpchk GET /readyz
  http-check expect status 200
${servers.join('\n')}
`,
  );
  const running = await startProgram('haproxy', ['-db', '-f', join(dir, 'haproxy.cfg')], port);
  return { ...running, stop: () => running.stop().then(() => removeFolder(dir)) };
}
