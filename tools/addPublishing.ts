import { publishingResource } from '../domain/rules/destinations/publishing.ts';
import { addTool } from '../toolkit/crud.ts';
import { andList } from '../domain/base/sentence.ts';
import { PACKAGED_TYPES, ADDRESSED_TYPES } from '../domain/types/destination-questions.ts';
import { RECORDING_TYPE } from '../domain/types/destination-types.ts';

export const addPublishing = addTool(
  {
    name: 'addPublishing',
    summary: 'Create a Publishing (Destination): where a Live stream is delivered.',
    description:
      `Use it for a new output. ${andList(ADDRESSED_TYPES)} need settings.url; ${andList(PACKAGED_TYPES)} ` +
      `without a url are served by the Device; ${RECORDING_TYPE} writes a Recording. Bind it with publishingId of ` +
      'a Live stream, or several with addPublishingGroup.',
    tag: 'Publishings',
    aliases: [
      'Destination',
      'new output',
      'add target',
      'restream',
      'simulcast to',
      'push to',
      'CDN endpoint',
      'record to file',
    ],
    rest: 'POST /publishings',
    access: 'operator',
  },
  publishingResource,
);
