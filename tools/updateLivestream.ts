import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { clearFailure } from '../domain/rules/broadcasts/run-failure.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateLivestream = updateTool(
  {
    name: 'updateLivestream',
    summary: 'Change a Live stream that is off: its bindings, name or picture options.',
    description:
      'Use it to bind another source, ladder or output, or to set logo, overlay, crop and fallback for the next start. Only the fields ' +
      'sent change. Setting encodingGroupId clears encodingId and the other way round, likewise for publishings. In status 3 a change clears ' +
      'the failure to 0. In status 1 and 2 it is refused: stop it, or use updateLivestreamOptions.',
    tag: 'Live streams',
    aliases: ['broadcast', 'edit stream', 'rebind source', 'change output', 'rename event', 'reconfigure'],
    rest: 'PUT /livestreams/{livestreamId}',
    access: 'operator',
  },
  livestreamResource,
  (tx, { id }, { ctx, now }) => clearFailure(tx, id, now, ctx.caller.username),
);
