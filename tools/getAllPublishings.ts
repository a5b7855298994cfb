import { publishingResource } from '../domain/rules/destinations/publishing.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllPublishings = listTool(
  {
    name: 'getAllPublishings',
    summary: 'List the Publishings (Destinations).',
    description:
      'Use it to find an output by name or type (HLS / TS, RTMP, SRT, Record…). It answers configuration; ' +
      'whether a Destination is being delivered to is in getLivestreamStatus. Over MCP it answers 20 short ' +
      'rows a page; fields=* brings the settings.',
    tag: 'Publishings',
    aliases: [
      'Destinations',
      'outputs',
      'targets',
      'restreams',
      'endpoints',
      'simulcast',
      'social outputs',
      'CDN',
      'list destinations',
    ],
    rest: 'GET /publishings',
    access: 'operator',
  },
  publishingResource,
);
