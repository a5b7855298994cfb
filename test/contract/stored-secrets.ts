/** One of every resource that keeps a secret, each with a canary in every place where one fits. */
import type { Args } from './apis.ts';
import {
  CANARY,
  channelBody,
  cloudAccountBody,
  drmProviderBody,
  ftpFolderBody,
  UNREACHABLE_URL,
  publishingBody,
  remoteFolderBody,
} from './resources.ts';
import { licenceBody, spekeProviderBody, targetFolderBody, userBody, type Resources } from './resources.ts';

export async function addStoredSecrets(resources: Resources): Promise<void> {
  const srt = { host: '127.0.0.1', port: 9, passphrase: `${CANARY}-phrase`, encryption: 128 };
  const push = { app: 'live', stream_key: `${CANARY}-stream-key` };
  const secrets: [string, Args][] = [
    ['/channels', channelBody(resources)],
    ['/channels', { name: resources.name(), type: 'SRT', settings: srt }],
    ['/channels', { name: resources.name(), type: 'RTMP-Push', settings: push }],
    ['/publishings', publishingBody(resources)],
    ['/publishings', pushedPublishingBody(resources)],
    ['/publishings', srtPublishingBody(resources)],
    ['/users', userBody(resources)],
    ['/settings/integrations/drmproviders', drmProviderBody(resources)],
    ['/settings/integrations/drmproviders', spekeProviderBody(resources)],
    ['/settings/integrations/cloud', cloudAccountBody(resources)],
    ['/remotefolders', remoteFolderBody(resources)],
    ['/targetfolders', targetFolderBody(resources)],
    ['/targetfolders', ftpFolderBody(resources)],
  ];
  for (const [path, body] of secrets) await resources.post(path, body);
  await resources.post('/system/licenses', await licenceBody(resources));
  const transcription = { tenant_url: UNREACHABLE_URL, api_key: `${CANARY}-key` };
  const reply = await resources.service.rest('PUT', '/settings/integrations/transcription/config', transcription);
  if (reply.status !== 200) throw new Error(`transcription: ${reply.status} ${JSON.stringify(reply.body)}`);
}

function pushedPublishingBody(resources: Resources): Args {
  const settings = {
    url: `http://user:${CANARY}@127.0.0.1:9/live/index.m3u8?token=${CANARY}`,
    backup_url: `http://user:${CANARY}@127.0.0.1:9/backup/index.m3u8?token=${CANARY}`,
    username: 'operator',
    password: `${CANARY}-password`,
  };
  return { name: resources.name(), type: 'HLS / TS', settings };
}

function srtPublishingBody(resources: Resources): Args {
  const settings = {
    url: `srt://127.0.0.1:9?streamid=${CANARY}-stream`,
    backup_url: `srt://127.0.0.1:9?passphrase=${CANARY}-passphrase`,
    srt: { passphrase: `${CANARY}-passphrase`, encryption: 128 },
  };
  return { name: resources.name(), type: 'SRT', settings };
}
