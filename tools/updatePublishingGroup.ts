import { publishingGroupResource } from '../domain/resources/publishing-group.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updatePublishingGroup = updateTool(
  {
    name: 'updatePublishingGroup',
    summary: 'Change a Publishing group: its members or name.',
    description:
      'Use it to add or remove Destinations of a set. elements is replaced as a whole: send all member ids. Refused (422) when a Live ' +
      'stream could no longer be delivered (AV1 over RTMP, SRT or HLS / TS). What is on air changes at its next start. To turn members ' +
      'off on air use runtimeTogglePublishings.',
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
);
