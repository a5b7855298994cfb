/** The files for several servers: what they set exists, and the balancer's own program reads its configuration. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { SETTING_NAMES, SETTINGS } from '../../bin/settings/settings.ts';
import { parseAddress } from '../../store/shared/database/address.ts';
import { balancerMissing } from '../helpers/servers/balancer.ts';
import { testFolder } from '../helpers/test-folder.ts';

interface Service {
  image?: string;
  hostname?: string;
  environment?: Record<string, string>;
  command?: string | string[];
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, unknown> | string[];
}

const folder = fileURLToPath(new URL('../../docs/fleet/', import.meta.url));
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

/** The fields that are looked at. */
interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: {
    replicas: number;
    ports: { targetPort: string }[];
    template: { spec: { containers: Container[] } };
  };
}

interface Container {
  image: string;
  env: { name: string; valueFrom?: { fieldRef: { fieldPath: string } } }[];
  ports: { name: string }[];
  readinessProbe: { httpGet: { path: string } };
  livenessProbe: { httpGet: { path: string } };
}

const KNOWN = new Set<string>([...SETTING_NAMES.map((name) => SETTINGS[name].variable), 'PGPASSWORD']);
const { services, volumes } = parse(textOf('compose.yaml'), { merge: true }) as Compose;

/** The image of PostgreSQL speaks no TLS until it is told to. */
const speaksTls = ({ command = [] }: Service): boolean => [command].flat().join(' ').includes('ssl=on');

describe('the files for several servers', () => {
  const servers = Object.entries(services).filter(([name]) => /^onair-\d$/u.test(name));

  it('three servers share a database and have a volume each, with settings that exist', () => {
    assert.equal(servers.length, 3);
    for (const [name, { environment = {}, hostname, volumes: own = [] }] of servers) {
      assert.deepEqual(
        Object.keys(environment).filter((variable) => !KNOWN.has(variable)),
        [],
      );
      const { host, sslmode } = parseAddress(environment['ONAIR_STORE']!);
      assert.ok(host in services, host);
      assert.equal(
        sslmode,
        speaksTls(services[host]!) ? 'verify-full' : 'disable',
        'the database is spoken to as it speaks',
      );
      assert.equal(hostname, name, 'the others reach it by the name of its machine');
      assert.deepEqual(own, [`${name}:/var/lib/onair`]);
      assert.ok(name in volumes);
    }
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    assert.equal(new Set(ports.map((line) => line.replace(/:\d+$/u, ''))).size, ports.length, 'no port is taken twice');
  });

  it('the manifests of Kubernetes have three servers that reach each other, with settings and probes that exist', () => {
    const documents = parseAllDocuments(textOf('kubernetes.yaml')).map((document) => document.toJS() as Manifest);
    assert.equal(new Set(documents.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).size, documents.length);
    const set = documents.find(({ kind }) => kind === 'StatefulSet')!.spec;
    const [container] = set.template.spec.containers;
    assert.equal(set.replicas, 3);
    assert.deepEqual(
      container!.env.map(({ name }) => name).filter((name) => !KNOWN.has(name)),
      [],
    );
    assert.equal(
      container!.env.find(({ name }) => name === 'ONAIR_HOST')?.valueFrom?.fieldRef.fieldPath,
      'status.podIP',
    );
    assert.deepEqual(
      [container!.readinessProbe.httpGet.path, container!.livenessProbe.httpGet.path],
      ['/readyz', '/healthz'],
    );
    const ports = container!.ports.map(({ name }) => name);
    for (const { kind, spec } of documents)
      if (kind === 'Service')
        for (const { targetPort } of spec.ports) assert.ok(ports.includes(targetPort), targetPort);
    assert.equal(
      container!.image,
      (parse(textOf('compose.yaml'), { merge: true }) as Compose).services['onair-1']!.image,
    );
  });

  it('the balancer knows each server, and HAProxy takes its configuration', { skip: balancerMissing }, (t) => {
    const config = textOf('haproxy.cfg');
    assert.deepEqual(
      [...config.matchAll(/^ {2}server (\S+) (\S+):8090$/gmu)].map(([, , name]) => name),
      ['ready', 'alive'].flatMap(() => servers.map(([name]) => name)),
    );
    const path = join(testFolder(t, 'haproxy'), 'haproxy.cfg');
    // The names are known where the servers run.
    writeFileSync(path, config.replaceAll(/ onair-\d:/gu, ' 127.0.0.1:'));
    execFileSync('/usr/sbin/haproxy', ['-c', '-q', '-f', path], { stdio: 'pipe' });
  });
});
