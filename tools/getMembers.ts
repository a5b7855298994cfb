import { z } from 'zod/v3';
import { memberOutput, memberView } from '../domain/shapes/installation/member.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getMembers = defineTool({
  name: 'getMembers',
  summary: 'List the servers that share this store, their versions, how far each is behind, and which Devices obey it.',
  description:
    'Use it to see whether all servers of an installation are there, before one of them is stopped or upgraded, and after a failure. ' +
    'shared: false and no members mean that this server has its store alone. The machines that encode are in getAllDevices.',
  tag: 'System',
  aliases: [
    'control planes',
    'cluster state',
    'fleet members',
    'which server is down',
    'replication lag',
    'leader',
    'failover',
  ],
  rest: 'GET /system/members',
  access: 'admin',
  effect: 'read',
  input: z.object({}).strict(),
  output: dataOf(
    z
      .object({
        shared: z.boolean().describe('Whether several servers may share the store.'),
        members: z.array(memberOutput).describe('In the order of their ids; those gone for a day are left out.'),
      })
      .strict(),
  ),
  async handle({ store, control: { memberId } }) {
    const members = await store.members();
    const devices = new Map<string, number[]>();
    for (const { id, acceptedMemberId } of (await store.find('deviceLinks', {})).rows)
      if (acceptedMemberId !== null) devices.set(acceptedMemberId, [...(devices.get(acceptedMemberId) ?? []), id]);
    const views = members.map((member) => memberView(member, members, memberId, devices));
    return { body: { data: { shared: members.length > 0, members: views } } };
  },
});
