import { wallResource } from '../domain/rules/broadcasts/wall.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateWall = updateTool(
  {
    name: 'updateWall',
    summary: 'Change a wall: its name, its layout, its Live streams or their order.',
    description:
      'Use it to move, add or remove tiles. livestreamIds and tags are replaced as a whole: send all of them. Displays that show ' +
      'the wall follow at once. A new wall is made with addWall.',
    tag: 'Walls',
    aliases: ['rearrange tiles', 'reorder wall', 'edit layout', 'rename wall', 'gallery screen'],
    rest: 'PUT /walls/{wallId}',
    access: 'operator',
  },
  wallResource,
);
