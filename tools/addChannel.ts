import { channelResource } from '../domain/resources/channel.ts';
import { addTool } from '../toolkit/crud.ts';

export const addChannel = addTool(
  {
    name: 'addChannel',
    summary: 'Create a Channel (source).',
    description:
      'Use it to register a new source before it is bound to a Live stream. Needed settings: Stream url; ' +
      'File filename (upload it first with uploadAsset); SRT host, port; RTMP-Push app, stream_key; SDI and ' +
      'AES/EBU deviceId, input; NDI source_name if typed; VideoSite Live video_id; cloud types ' +
      'cloudAccountId.',
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
  },
  channelResource,
);
