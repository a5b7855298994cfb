import { channelResource } from '../domain/rules/sources/channel.ts';
import { addTool } from '../toolkit/crud.ts';
import { madeKey } from '../toolkit/subjects/ingest-key.ts';
import { andList } from '../domain/base/sentence.ts';
import { PUSHED_NAMES, NEEDED_SETTINGS } from '../domain/types/channel-questions.ts';

export const addChannel = addTool(
  {
    name: 'addChannel',
    summary: 'Create a Channel (source).',
    description:
      `Use it to register a source before it is bound to a Live stream. Needs: ${NEEDED_SETTINGS}. ` +
      `${andList(PUSHED_NAMES)} are listened for at once: ingest.url is for the encoder; a ` +
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
