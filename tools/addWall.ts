import { wallResource } from '../domain/rules/broadcasts/wall.ts';
import { addTool } from '../toolkit/crud.ts';

export const addWall = addTool(
  {
    name: 'addWall',
    summary: 'Add a wall of Live streams for a monitor, under a name, for all people.',
    description:
      'Use it to put broadcasts on a screen as tiles: livestreamIds in the order of their places, those of tags and others behind ' +
      'them while they are on. layout is how many fit on one screen; more are paged. People open it on the page Walls; for a display ' +
      'without a sign-in use createDisplayLink.',
    tag: 'Walls',
    aliases: ['monitor wall', 'gallery screen', 'saved screens', 'new layout', 'screen of tiles'],
    rest: 'POST /walls',
    access: 'operator',
  },
  wallResource,
);
