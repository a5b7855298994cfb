/** Two servers that keep the files of Assets in one bucket: what was uploaded at the one is on air, and downloaded, at the other. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { PNG_BASE64 } from '../app/broadcast.ts';
import { goOnAir, smallBroadcast, statusOf, uploadClip, type SmallBroadcast } from '../helpers/broadcast.ts';
import { devicesOf, joinDevice, mediaBucket, startMembers, type Member } from '../helpers/fleet.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { agentPid, PROGRAM, startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'canary-access-key', AWS_SECRET_ACCESS_KEY: 'canary-secret-key' };

describe('Assets of several servers', () => {
  const tasks: (() => unknown)[] = [];
  const owner = { after: (task: () => unknown): void => void tasks.push(task) };
  let members: Member[];
  let first: Service;
  let second: Service;
  let show: SmallBroadcast;

  before(async () => {
    members = await startMembers(owner, await (await sharedServer()).database(), 2, await mediaBucket(owner));
    [first, second] = members.map(({ service }) => service) as [Service, Service];
    show = await smallBroadcast(first);
  });
  after(async () => {
    for (const task of tasks.reverse()) await task();
  });

  const copyOf = ({ dataDir }: Service): string => join(dataDir, 'assets', 'files', 'clip.mp4');

  /** A server hears of the Devices of others a moment after these. */
  const knownOnline = (server: Service, deviceId: number | undefined): Promise<unknown> =>
    until('the Device is online for the other server', async () =>
      (await devicesOf(server)).some(({ id, online }) => online && id === deviceId),
    );

  it('the Device of the other server plays what was uploaded at this one', async () => {
    assert.ok(!existsSync(copyOf(second)), 'nothing is copied before it is used');
    const own = (await devicesOf(second)).filter(({ online }) => online).map(({ id }) => id);
    const owned = (await second.rest('GET', '/system/members')).body.data.members as {
      self: boolean;
      devices: number[];
    }[];
    const deviceId = owned.find(({ self }) => self)?.devices.find((id) => own.includes(id));
    await knownOnline(first, deviceId);
    const idEncoderGroup = await first.create('/devices/groups', { name: 'Second', devices: [deviceId] });
    await first.rest('PUT', `/livestreams/${show.livestreamId}`, { idEncoderGroup });
    await goOnAir(first, show.livestreamId);
    assert.equal(hashOf(readFileSync(copyOf(second))), hashOf(readFileSync(copyOf(first))));
  });

  it('a Device that dials fetches the file from the bucket: its server has no copy of it', async () => {
    await first.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(first, show.livestreamId)).status === 0);
    const device = await joinDevice(owner, [members[1]!, members[0]!], 'van');
    await uploadClip(first, 'past.mp4');
    const channelId = await first.create('/channels', {
      name: 'Past',
      type: 'File',
      settings: { filename: 'past.mp4' },
    });
    await knownOnline(first, device.id);
    const idEncoderGroup = await first.create('/devices/groups', { name: 'Van', devices: [device.id] });
    const { encodingGroupId, publishingGroupId } = (await first.rest('GET', `/livestreams/${show.livestreamId}`)).body
      .data;
    const bound = { channelId, encodingGroupId, publishingGroupId, idEncoderGroup };
    const livestreamId = await first.create('/livestreams', { name: 'From the van', ...bound });
    await goOnAir(first, livestreamId);
    const there = join(device.dir, 'device', 'assets');
    const [tag = ''] = readdirSync(there).filter((name) => !name.startsWith('.'));
    assert.equal(
      hashOf(readFileSync(join(there, tag, 'past.mp4'))),
      hashOf(readFileSync(join(first.scratch, 'past.mp4'))),
    );
    assert.ok(!existsSync(join(second.dataDir, 'assets', 'files', 'past.mp4')), 'nothing passed through its server');
    await uploadLogo(first, 'van.png');
    const body = { logo: { filename: 'van.png', position: 'Top-Left' } };
    const changed = await first.rest('POST', `/livestreams/${livestreamId}/runtimeOptions/logo`, body);
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.ok(!existsSync(join(second.dataDir, 'assets', 'logos', 'van.png')), 'nor the logo');
    await first.rest('POST', `/livestreams/${livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(first, livestreamId)).status === 0);
    await goOnAir(first, show.livestreamId);
  });

  it('no server shows the keys of the bucket', async () => {
    for (const service of [first, second]) {
      const { body } = await service.rest('GET', '/assets?fields=*');
      assert.doesNotMatch(`${service.output()}${JSON.stringify(body)}`, /canary-(?:access|secret)/u);
    }
  });

  it('the Device agents have none of the keys in their environment', () => {
    for (const service of [first, second])
      assert.doesNotMatch(readFileSync(`/proc/${agentPid(service)}/environ`, 'utf8'), /canary-/u);
  });
});

describe('ONAIR_MEDIA that is missing, or cannot be used', () => {
  const ENDPOINT = encodeURIComponent('http://127.0.0.1:9');
  const refusal = (t: TestContext, variables: NodeJS.ProcessEnv): string => {
    const dir = mkdtempSync(join(tmpdir(), 'onair-media-'));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const env = { ...process.env, ONAIR_DATA: dir, XDG_CONFIG_HOME: dir, ONAIR_PORT: '0', ...variables };
    const { status, stderr, stdout } = spawnSync(process.execPath, [PROGRAM, 'serve'], {
      env,
      encoding: 'utf8',
    });
    assert.notEqual(status, 0);
    assert.ok(status !== null, 'the server ends by itself');
    assert.doesNotMatch(`${stdout}${stderr}`, /canary-/u);
    return stderr;
  };

  it('without it a server of a shared store says at its start that the others cannot use the files of its Assets', async (t) => {
    const [member] = await startMembers(t, await (await sharedServer()).database(), 1);
    await until('the log says so', () => /on this machine alone.*Set ONAIR_MEDIA/u.test(member!.service.output()));
  });

  it('ends the start with what is wrong', (t) => {
    const ONAIR_MEDIA = `s3://clips?endpoint=${ENDPOINT}`;
    assert.match(refusal(t, { ...KEYS, ONAIR_MEDIA: 's3://clips?acl=public' }), /ONAIR_MEDIA has acl/u);
    assert.match(refusal(t, { ONAIR_MEDIA }), /there are no keys for it/u);
    assert.match(
      refusal(t, { ...KEYS, ONAIR_MEDIA }),
      /bucket clips at 127\.0\.0\.1:9 does not take a file: ECONNREFUSED/u,
    );
    assert.match(
      refusal(t, { ONAIR_ARCHIVE: ONAIR_MEDIA }),
      /ONAIR_ARCHIVE names a bucket, and there are no keys for it/u,
    );
    assert.match(refusal(t, { ...KEYS, ONAIR_ARCHIVE: 's3://clips?acl=public' }), /ONAIR_ARCHIVE has acl/u);
  });
});

describe('ONAIR_ARCHIVE', () => {
  it('a server tries the bucket of the archive at its start, and starts without it', async (t) => {
    const ONAIR_ARCHIVE = `s3://clips?endpoint=${encodeURIComponent('http://127.0.0.1:9')}`;
    const cut = await startService({ ...KEYS, ONAIR_ARCHIVE });
    t.after(() => cut.dispose());
    await until('the log says so', () =>
      /does not take a file: ECONNREFUSED.*ONAIR_ARCHIVE cannot be used now/su.test(cut.output()),
    );
    assert.doesNotMatch(cut.output(), /canary-(?:access|secret)/u);
    const { ONAIR_MEDIA, ...keys } = await mediaBucket(t);
    const used = await startService({ ...keys, ONAIR_ARCHIVE: ONAIR_MEDIA });
    t.after(() => used.dispose());
    await until('the log says so', () => /Audit entries and events are archived/u.test(used.output()));
  });
});

async function uploadLogo({ url }: Service, name: string): Promise<void> {
  const form = new FormData();
  form.set('fileType', 'logos');
  form.set('file', new Blob([Buffer.from(PNG_BASE64, 'base64')]), name);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const reply = await fetch(`${url}/svcapiv2/assets`, { method: 'POST', headers, body: form });
  assert.equal(reply.status, 201, await reply.text());
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
