import { removeDisplayLinks, wallResource } from '../domain/rules/broadcasts/wall.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteWall = deleteTool(
  {
    name: 'deleteWall',
    summary: 'Delete a wall with the links that open it; its Live streams stay.',
    description:
      'Use it when nobody needs the wall any more. Displays that show it go dark at once and for good. ' +
      'No broadcast changes. To end a single display use revokeDisplayLink.',
    tag: 'Walls',
    aliases: ['remove wall', 'remove layout', 'drop screen', 'gallery screen'],
    rest: 'DELETE /walls/{wallId}',
    access: 'operator',
  },
  wallResource,
  (tx, id) => removeDisplayLinks(tx, id),
);
