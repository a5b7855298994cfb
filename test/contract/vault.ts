/** One of every resource that keeps a secret, each with a canary in every place where one fits. */
import type { Args } from './doors.ts';
import {
  CANARY,
  channelBody,
  cloudAccountBody,
  drmProviderBody,
  ftpFolderBody,
  NOWHERE,
  publishingBody,
  remoteFolderBody,
} from './world.ts';
import { licenceBody, spekeProviderBody, targetFolderBody, userBody, type World } from './world.ts';

export async function fillVault(world: World): Promise<void> {
  const srt = { host: '127.0.0.1', port: 9, passphrase: `${CANARY}-phrase`, encryption: 128 };
  const push = { app: 'live', stream_key: `${CANARY}-stream-key` };
  const secrets: [string, Args][] = [
    ['/channels', channelBody(world)],
    ['/channels', { name: world.name(), type: 'SRT', settings: srt }],
    ['/channels', { name: world.name(), type: 'RTMP-Push', settings: push }],
    ['/publishings', publishingBody(world)],
    ['/publishings', pushedPublishingBody(world)],
    ['/publishings', srtPublishingBody(world)],
    ['/users', userBody(world)],
    ['/settings/integrations/drmproviders', drmProviderBody(world)],
    ['/settings/integrations/drmproviders', spekeProviderBody(world)],
    ['/settings/integrations/cloud', cloudAccountBody(world)],
    ['/remotefolders', remoteFolderBody(world)],
    ['/targetfolders', targetFolderBody(world)],
    ['/targetfolders', ftpFolderBody(world)],
  ];
  for (const [path, body] of secrets) await world.post(path, body);
  await world.post('/system/licenses', await licenceBody(world));
  const transcription = { tenant_url: NOWHERE, api_key: `${CANARY}-key` };
  const reply = await world.service.rest('PUT', '/settings/integrations/transcription/config', transcription);
  if (reply.status !== 200) throw new Error(`transcription: ${reply.status} ${JSON.stringify(reply.body)}`);
}

function pushedPublishingBody(world: World): Args {
  const settings = {
    url: `http://user:${CANARY}@127.0.0.1:9/live/index.m3u8?token=${CANARY}`,
    backup_url: `http://user:${CANARY}@127.0.0.1:9/backup/index.m3u8?token=${CANARY}`,
    username: 'operator',
    password: `${CANARY}-password`,
  };
  return { name: world.name(), type: 'HLS / TS', settings };
}

function srtPublishingBody(world: World): Args {
  const settings = {
    url: `srt://127.0.0.1:9?streamid=${CANARY}-stream`,
    backup_url: `srt://127.0.0.1:9?passphrase=${CANARY}-passphrase`,
    srt: { passphrase: `${CANARY}-passphrase`, encryption: 128 },
  };
  return { name: world.name(), type: 'SRT', settings };
}
