import { publishingResource } from '../domain/rules/destinations/publishing.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deletePublishing = deleteTool(
  {
    name: 'deletePublishing',
    summary: 'Delete a Publishing (Destination) that nothing uses.',
    description:
      'Use it to remove an output for good. It is refused (in_use) while a Live stream or a Publishing group holds it; the answer ' +
      'names them. Free it there first, with updateLivestream or updatePublishingGroup. To pause it on air use toggle_destination.',
    tag: 'Publishings',
    aliases: ['Destination', 'remove output', 'delete target', 'drop restream', 'remove endpoint'],
    rest: 'DELETE /publishings/{publishingId}',
    access: 'operator',
  },
  publishingResource,
);
