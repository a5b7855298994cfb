/** Media of a run whose Device has a disk of its own: it fetches what the servers share, and is sent what it cannot fetch. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { deviceNetwork } from '../../../device/link/client.ts';
import type { FetchableMedia } from '../../../domain/ports/media-bucket.ts';
import type { PairedLink } from '../../../domain/ports/device-link.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { runSpec } from '../agent/fixtures/spec.ts';
import { TestDevice } from '../agent/fixtures/test-device.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';

const CONTENT = Buffer.alloc(1 << 20, 7);
const SECRET = 'signature-of-the-address';

interface Storage {
  url: string;
  requests: number;
  /** Bytes after which each answer breaks off. */
  breaksAfter: number;
}

async function storage(t: TestContext): Promise<Storage> {
  const made: Storage = { url: '', requests: 0, breaksAfter: Infinity };
  const server = createServer((_request, response) => {
    made.requests += 1;
    response.writeHead(200, { 'content-length': CONTENT.length });
    if (made.breaksAfter === Infinity) return void response.end(CONTENT);
    response.write(CONTENT.subarray(0, made.breaksAfter), () => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanUp(t, () => void server.close());
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/clip.mp4?X-Amz-Signature=${SECRET}`;
  return made;
}

interface Scene {
  link: PairedLink;
  spec: RunSpec;
  /** The file on the server. */
  path: string;
  testDevice: TestDevice;
  logged: string[];
  /** Its standard error. */
  output(): string;
}

/** `bring` writes what the server is to send. */
async function scene(t: TestContext, fetchable: () => FetchableMedia | undefined): Promise<Scene> {
  const testDevice = new TestDevice(t);
  const agent = await testDevice.agentHere('--listen', '127.0.0.1:0');
  const [shown] = await until('credentials', () => agent.shown().length > 0 && agent.shown());
  const dir = testFolder(t, 'assets');
  const pathOf = (bucket: string, filename: string): string => join(dir, bucket, filename);
  const path = pathOf('files', 'clip.mp4');
  const logged: string[] = [];
  const keep = (facts: object, message: string): void =>
    void logged.push(`${message} ${String((facts as never)['err'])}`);
  const network = deviceNetwork({
    log: { info: keep, warn: keep, error: keep },
    media: {
      path: pathOf,
      fetchable: (bucket, filename) => Promise.resolve(pathOf(bucket, filename) === path ? fetchable() : undefined),
      bring: async (bucket, filename) => {
        mkdirSync(join(dir, bucket), { recursive: true });
        writeFileSync(pathOf(bucket, filename), CONTENT);
      },
    },
  });
  const key = await network.pair(shown!.address, shown!);
  const link = network.connect(shown!.address, key);
  cleanUp(t, () => link.close?.());
  const spec = runSpec();
  spec.source.path = path;
  return { link, spec, path, testDevice, logged, output: agent.output };
}

test('a Device fetches a file that the servers share, once, and nothing is copied to this server', async (t) => {
  const shared = await storage(t);
  const { link, spec, path, testDevice } = await scene(t, () => ({ key: 'a', bytes: CONTENT.length, url: shared.url }));
  const [first, again] = await Promise.all([link.prepare!(spec), link.prepare!(spec)]);
  assert.ok(first.source.path!.startsWith(join(testDevice.dir, 'assets')));
  assert.deepEqual(readFileSync(first.source.path!), CONTENT);
  assert.equal(again.source.path, first.source.path);
  await link.prepare!(spec);
  assert.equal(shared.requests, 1);
  assert.ok(!existsSync(path), 'no copy on the server');
});

test('a file that comes back with another content is fetched anew', async (t) => {
  const shared = await storage(t);
  let key = 'a';
  const { link, spec } = await scene(t, () => ({ key, bytes: CONTENT.length, url: shared.url }));
  const before = await link.prepare!(spec);
  key = 'b';
  const after = await link.prepare!(spec);
  assert.notEqual(after.source.path, before.source.path);
  assert.equal(shared.requests, 2);
});

const FAULTS: [name: string, wayTo: (shared: Storage) => Promise<string>][] = [
  ['has no way to the storage', async () => `http://127.0.0.1:${await freePort()}/clip.mp4?${SECRET}`],
  [
    'loses the storage while it fetches',
    async (shared) => {
      shared.breaksAfter = 1000;
      return shared.url;
    },
  ],
];

for (const [name, wayTo] of FAULTS)
  test(`a Device that ${name} is sent the file by this server, and no log shows the address`, async (t) => {
    const shared = await storage(t);
    const url = await wayTo(shared);
    const { link, spec, path, logged, output } = await scene(t, () => ({ key: 'a', bytes: CONTENT.length, url }));
    const prepared = await link.prepare!(spec);
    assert.deepEqual(readFileSync(prepared.source.path!), CONTENT);
    assert.ok(existsSync(path), 'the server has brought it to itself');
    assert.equal(logged.filter((line) => /cannot fetch from the bucket/u.test(line)).length, 1, logged.join('\n'));
    assert.ok(!`${logged.join('')}${output()}`.includes(SECRET));
  });

test('a file that no storage has is brought to this server and sent', async (t) => {
  const { link, spec } = await scene(t, () => undefined);
  assert.deepEqual(readFileSync((await link.prepare!(spec)).source.path!), CONTENT);
});
