import { wallResource } from '../domain/rules/broadcasts/wall.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllWalls = listTool(
  {
    name: 'getAllWalls',
    summary: 'List the saved walls: which Live streams a monitor shows, in which order and layout.',
    description:
      'Use it to find a wallId, or which broadcasts people have on their screens. It says nothing of how they do: for that use ' +
      'getLivestreamsStatus. The links that open a wall on a display are in listDisplayLinks.',
    tag: 'Walls',
    aliases: ['monitor wall', 'gallery screen', 'saved screens', 'tile layouts', 'screens'],
    rest: 'GET /walls',
    access: 'operator',
  },
  wallResource,
);
