import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { getTool } from '../toolkit/crud.ts';

export const getLivestreamById = getTool(
  {
    name: 'getLivestreamById',
    summary: 'Show one Live stream: its configuration and status.',
    description:
      'Use it when the id is known and the bindings matter: Channel, Encoding, Publishing, Device, logo, ' +
      'overlay, fallback. For what happens on air (frames, bitrates, Destinations) use getLivestreamStatus. ' +
      'To find one by its name use getAllLivestreams with search.',
    tag: 'Live streams',
    aliases: ['broadcast', 'event', 'stream details', 'show', 'programme', 'live configuration'],
    rest: 'GET /livestreams/{livestreamId}',
    access: 'operator',
  },
  livestreamResource,
);
