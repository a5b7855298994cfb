import { publishingResource } from '../domain/rules/destinations/publishing.ts';
import { getTool } from '../toolkit/crud.ts';

export const getPublishingById = getTool(
  {
    name: 'getPublishingById',
    summary: 'Show one Publishing (Destination) with its settings.',
    description:
      'Use it when the id is known and the URL, segment length, retry budget or DRM matter. The stream key ' +
      'is answered masked, passwords as has_password. To find one by its name use getAllPublishings with ' +
      'search.',
    tag: 'Publishings',
    aliases: ['Destination', 'output details', 'target', 'restream', 'endpoint', 'stream key', 'CDN'],
    rest: 'GET /publishings/{publishingId}',
    access: 'operator',
  },
  publishingResource,
);
