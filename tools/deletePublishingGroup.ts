import { publishingGroupResource } from '../domain/rules/destinations/publishing-group.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deletePublishingGroup = deleteTool(
  {
    name: 'deletePublishingGroup',
    summary: 'Delete a Publishing group that no Live stream uses.',
    description:
      'Use it to remove a set of outputs; its Publishings stay. It is refused (in_use) while a Live stream is bound to it; the answer ' +
      'names them. To take out single members use updatePublishingGroup.',
    tag: 'Publishings',
    aliases: ['Destination group', 'remove output group', 'drop target set', 'delete simulcast group'],
    rest: 'DELETE /publishings/groups/{groupId}',
    access: 'operator',
  },
  publishingGroupResource,
);
