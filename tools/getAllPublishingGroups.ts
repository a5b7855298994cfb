import { publishingGroupResource } from '../domain/rules/destinations/publishing-group.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllPublishingGroups = listTool(
  {
    name: 'getAllPublishingGroups',
    summary: 'List the Publishing groups (Destination groups).',
    description:
      'Use it to find a set of outputs by name, or to see which Publishings (elements) each holds. For ' +
      'single Destinations use getAllPublishings.',
    tag: 'Publishings',
    aliases: [
      'Destination groups',
      'output groups',
      'target sets',
      'multi output',
      'simulcast groups',
      'bundles of outputs',
    ],
    rest: 'GET /publishings/groups',
    access: 'operator',
  },
  publishingGroupResource,
);
