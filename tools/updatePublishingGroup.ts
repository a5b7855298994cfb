import { z } from 'zod/v3';
import { publishingGroupResource } from '../domain/rules/destinations/publishing-group.ts';
import { membersOnAir } from '../domain/rules/destinations/members-on-air.ts';
import { updateTool } from '../toolkit/crud.ts';
import { onceJoined } from '../toolkit/subjects/destination.ts';
import { orList } from '../domain/base/sentence.ts';
import { typesNotCarrying } from '../domain/types/destination-questions.ts';

export const updatePublishingGroup = onceJoined(
  updateTool(
    {
      name: 'updatePublishingGroup',
      summary: 'Change a Publishing group: its members or name.',
      description:
        'Use it to add or remove Destinations of a set. elements is replaced as a whole: send all member ids. Refused (422) when a Live ' +
        `stream could no longer be delivered (AV1 over ${orList(typesNotCarrying('av1'))}). On air a new member joins switched off: turn it on with ` +
        'runtimeTogglePublishings. One that is on is removed only with confirmStopDestination: true, which ends it.',
      tag: 'Publishings',
      aliases: [
        'Destination group',
        'edit output group',
        'add output to group',
        'remove output from group',
        'simulcast group',
      ],
      rest: 'PUT /publishings/groups/{groupId}',
      access: 'operator',
    },
    publishingGroupResource,
    membersOnAir,
    true,
    { confirmStopDestination: z.boolean().default(false).describe('true: also end removed ones that are on air.') },
  ),
);
