import { publishingResource } from '../domain/rules/destinations/publishing.ts';
import { addTool } from '../toolkit/crud.ts';

export const addPublishing = addTool(
  {
    name: 'addPublishing',
    summary: 'Create a Publishing (Destination): where a Live stream is delivered.',
    description:
      'Use it for a new output. RTMP, Enhanced RTMP, SRT and STREAM need settings.url; HLS / TS, DASH and ' +
      'CMAF without a url are served by the Device; Record writes a Recording. Bind it with publishingId of ' +
      'a Live stream, or several with addPublishingGroup.',
    tag: 'Publishings',
    aliases: [
      'Destination',
      'new output',
      'add target',
      'restream',
      'simulcast to',
      'push to',
      'CDN endpoint',
      'record to file',
    ],
    rest: 'POST /publishings',
    access: 'operator',
  },
  publishingResource,
);
