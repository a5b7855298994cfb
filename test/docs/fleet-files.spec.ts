/** The files for several servers: what they set exists, and the balancer's own program reads its configuration. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { SETTING_NAMES, SETTINGS } from '../../bin/settings.ts';
import { balancerMissing } from '../helpers/servers/balancer.ts';
import { testFolder } from '../helpers/test-folder.ts';

interface Service {
  image?: string;
  hostname?: string;
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, unknown> | string[];
}

const folder = fileURLToPath(new URL('../../docs/fleet/', import.meta.url));
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
const { services, volumes } = parse(textOf('compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};

describe('the files for several servers', () => {
  const servers = Object.entries(services).filter(([name]) => /^onair-\d$/u.test(name));

  it('three servers share a database and have a volume each, with settings that exist', () => {
    assert.equal(servers.length, 3);
    const known = new Set<string>([...SETTING_NAMES.map((name) => SETTINGS[name].variable), 'PGPASSWORD']);
    for (const [name, { environment = {}, hostname, volumes: own = [] }] of servers) {
      assert.deepEqual(
        Object.keys(environment).filter((variable) => !known.has(variable)),
        [],
      );
      assert.equal(environment['ONAIR_STORE'], 'postgres://onair@database/onair');
      assert.equal(hostname, name, 'the others reach it by the name of its machine');
      assert.deepEqual(own, [`${name}:/var/lib/onair`]);
      assert.ok(name in volumes);
    }
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    assert.equal(new Set(ports.map((line) => line.replace(/:\d+$/u, ''))).size, ports.length, 'no port is taken twice');
  });

  it('the balancer knows each server, and HAProxy takes its configuration', { skip: balancerMissing }, (t) => {
    const config = textOf('haproxy.cfg');
    assert.deepEqual(
      [...config.matchAll(/^ {2}server (\S+) (\S+):8090$/gmu)].map(([, , name]) => name),
      servers.map(([name]) => name),
    );
    const path = join(testFolder(t, 'haproxy'), 'haproxy.cfg');
    // The names are known where the servers run.
    writeFileSync(path, config.replaceAll(/ onair-\d:/gu, ' 127.0.0.1:'));
    execFileSync('/usr/sbin/haproxy', ['-c', '-q', '-f', path], { stdio: 'pipe' });
  });
});
