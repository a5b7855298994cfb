import { channelResource } from '../domain/rules/sources/channel.ts';
import { addTool } from '../toolkit/crud.ts';
import { madeKey } from '../toolkit/subjects/ingest-key.ts';

export const addChannel = addTool(
  {
    name: 'addChannel',
    summary: 'Create a Channel (source).',
    description:
      'Use it to register a new source before it is bound to a Live stream. Needed settings: Stream url; ' +
      'File filename (upload it first with uploadAsset); SRT port, a caller host too; RTMP-Push app; SDI and ' +
      'AES/EBU deviceId, input; NDI source_name if typed; VideoSite Live video_id; cloud types ' +
      'cloudAccountId. RTMP-Push and SRT in mode listener are listened for at once: ingest.url is for the encoder; a ' +
      'stream_key that was made here is shown whole in this answer only (then revealIngestKey).',
    tag: 'Channels',
    aliases: [
      'Source',
      'new input',
      'create source',
      'add feed',
      'new ingest',
      'register camera',
      'pull url',
      'file playout',
    ],
    rest: 'POST /channels',
    access: 'operator',
    secretAnswer: true,
  },
  channelResource,
  undefined,
  ({ control }, row, sent) => madeKey(control, row, sent),
);
