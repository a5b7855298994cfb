import { publishingGroupResource } from '../domain/rules/destinations/publishing-group.ts';
import { addTool } from '../toolkit/crud.ts';

export const addPublishingGroup = addTool(
  {
    name: 'addPublishingGroup',
    summary: 'Create a Publishing group: Destinations that are delivered together.',
    description:
      'Use it when one Live stream goes to several outputs, for example HLS and a Record. Members must exist, each at most once, 20 at ' +
      'most. Bind it with publishingGroupId of a Live stream. For one output bind the Publishing itself (addPublishing).',
    tag: 'Publishings',
    aliases: ['Destination group', 'output group', 'multi output', 'simulcast', 'target set', 'restream to several'],
    rest: 'POST /publishings/groups',
    access: 'operator',
  },
  publishingGroupResource,
);
