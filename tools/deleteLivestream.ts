import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { removeDependents } from '../domain/rules/broadcasts/livestream-removal.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteLivestream = deleteTool(
  {
    name: 'deleteLivestream',
    summary: 'Delete a Live stream (configured broadcast) that is off.',
    description:
      'Use it to remove a broadcast for good; its Channel, Encodings and Publishings stay, its planned actions are cancelled. Refused ' +
      '(wrong_state) in status 1 and 2: stop it first with stopLivestream; and (in_use) while a Schedule names it.',
    tag: 'Live streams',
    aliases: ['broadcast', 'remove stream', 'delete event', 'drop show', 'kill stream'],
    rest: 'DELETE /livestreams/{livestreamId}',
    access: 'operator',
  },
  livestreamResource,
  removeDependents,
);
