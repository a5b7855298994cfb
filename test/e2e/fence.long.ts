/** Three servers on one PostgreSQL and a fence: a Device that stands still is lost together with its server, is cut off, and its broadcast goes on. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { goOnAir, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { joinDevice, mediaBucket, startMembers, type JoinedDevice, type Member } from '../helpers/fleet.ts';
import { PostgresServer } from '../helpers/postgres.ts';
import { processesOf } from '../helpers/service.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { until } from '../helpers/until.ts';

const KEY = 'derby';

describe('a fence where a server and its Device die together', () => {
  const dir = mkdtempSync(join(tmpdir(), 'onair-fence-'));
  const calls = join(dir, 'calls');
  const tasks: (() => unknown)[] = [];
  const owner = { after: (task: () => unknown): void => void tasks.push(task) };
  let members: Member[];
  let devices: JoinedDevice[];
  let sink: RtmpServer;
  let show: SmallBroadcast;

  before(async () => {
    // The power switch: it ends the processes that the test names for the Device, and looks whether they have ended.
    const fence = join(dir, 'fence');
    writeFileSync(
      fence,
      `#!/bin/sh
echo "$FENCE_DEVICE_ID" >> ${calls}
for pid in $(cat "${dir}/$FENCE_DEVICE_ID"); do kill -KILL "$pid"; done
for pid in $(cat "${dir}/$FENCE_DEVICE_ID"); do
  while [ -e /proc/$pid ] && ! grep -q ' Z ' /proc/$pid/stat; do sleep 0.05; done
done
`,
    );
    chmodSync(fence, 0o755);
    const database = await PostgresServer.start(owner);
    const bucket = await mediaBucket(owner);
    members = await startMembers(owner, await database.database(), 3, { ...bucket, ONAIR_FENCE: fence });
    sink = await startRtmp();
    sink.keys.add(KEY);
    const [one, two, three] = members as [Member, Member, Member];
    const ports = (order: Member[]): number[] => order.map(({ devicePort }) => devicePort);
    devices = [
      await joinDevice(owner, members, 'enc1', ports([one, two, three])),
      await joinDevice(owner, members, 'enc2', ports([two, three, one])),
    ];
    const settings = { url: sink.keyedUrl, stream_key: KEY };
    const ids = devices.map(({ id }) => id);
    show = await smallBroadcast(two.service, [{ name: 'platform', type: 'RTMP', settings }]);
    const idEncoderGroup = await two.service.create('/devices/groups', { name: 'Pool', devices: ids });
    const changes = { idEncoderGroup, onDeviceLoss: 'move' };
    const { status } = await two.service.rest('PUT', `/livestreams/${show.livestreamId}`, changes);
    assert.equal(status, 200);
    await goOnAir(two.service, show.livestreamId);
    await until('it is published', async () => (await sink.publishing()).includes(KEY));
  });
  after(async () => {
    await sink?.dispose();
    for (const task of tasks.reverse()) await task();
    rmSync(dir, { recursive: true, force: true });
  });

  interface MemberRow {
    id: string;
    state: string;
    self: boolean;
    devices: number[];
  }
  const membersOf = async ({ service }: Member): Promise<MemberRow[]> =>
    (await service.rest('GET', '/system/members')).body.data.members;

  it('goes on at the other Device while the dead server still counts as silent, cut off once, and never with two that publish', async () => {
    const placeAt = async ({ service }: Member): Promise<number> =>
      (await service.rest('GET', `/livestreams/${show.livestreamId}/status`)).body.data.deviceId;
    const deviceId = await placeAt(members[1]!);
    const lost = devices.find(({ id }) => id === deviceId)!;
    const owner = (await membersOf(members[1]!)).find((row) => row.devices.includes(lost.id))!;
    const isOwner = async (member: Member): Promise<boolean> =>
      (await membersOf(member)).find(({ self }) => self)?.id === owner.id;
    const owners = await Promise.all(members.map(isOwner));
    const dead = members[owners.indexOf(true)]!;
    const living = members.find((member) => member !== dead)!;
    const all = processesOf(lost.dir);
    writeFileSync(join(dir, String(lost.id)), all.map(({ pid }) => pid).join('\n'));
    for (const { pid } of all) process.kill(pid, 'SIGSTOP');
    await dead.service.kill('SIGKILL');
    await until('it has moved', async () => (await placeAt(living)) !== lost.id);
    const state = (await membersOf(living)).find(({ id }) => id === owner.id)?.state;
    assert.equal(state, 'silent', 'without a fence it would have to be gone first');
    const path = `/livestreams/${show.livestreamId}/events?kind=run_moved&pageSize=5`;
    await until('it goes on elsewhere', async () => (await living.service.rest('GET', path)).body.rows.length === 1);
    await until('it is published', async () => (await sink.publishing()).includes(KEY));
    assert.equal(sink.mostAtOnce(KEY), 1);
    const { body } = await living.service.rest('GET', '/livestreams/events?kind=device_fenced&pageSize=5');
    const outcomes = (body.rows as { data: { deviceId: number; outcome: string } }[]).map(({ data }) => data);
    assert.deepEqual(
      outcomes.map((data) => [data.deviceId, data.outcome]),
      [[lost.id, 'done']],
    );
    assert.equal(existsSync(calls) && readFileSync(calls, 'utf8'), `${lost.id}\n`);
  });
});
