import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { addTool } from '../toolkit/crud.ts';
import { orList } from '../domain/base/sentence.ts';
import { typesNotCarrying } from '../domain/types/destination-questions.ts';

export const addLivestream = addTool(
  {
    name: 'addLivestream',
    summary: 'Create a Live stream from a Channel, an Encoding or group, and a Publishing or group.',
    description:
      'Use it to set up a broadcast; it does not start it (startLivestream does). Bind one of ' +
      'encodingId and encodingGroupId, and one of publishingId and publishingGroupId. All must ' +
      `exist. AV1 cannot go over ${orList(typesNotCarrying('av1'))}.`,
    tag: 'Live streams',
    aliases: ['broadcast', 'new stream', 'create event', 'set up a show', 'new live', 'configure broadcast'],
    rest: 'POST /livestreams',
    access: 'operator',
  },
  livestreamResource,
  (ctx) => ({ created_by: ctx.caller.username }),
);
