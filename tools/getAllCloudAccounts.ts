import { cloudAccountResource } from '../domain/rules/devices/cloud-account.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllCloudAccounts = listTool(
  {
    name: 'getAllCloudAccounts',
    summary: 'List the Cloud accounts: links to the managed cloud platform.',
    description:
      'Use it to find the cloudAccountId of a cloud Channel or start, and whether the account was validated. The name is the field ' +
      'client; passwords are never answered. Over MCP it answers 20 short rows a page; fields=* brings all. To try one use ' +
      'validateCloudAccount.',
    tag: 'Cloud',
    aliases: ['cloud platform', 'managed cloud', 'cloud credentials', 'cloud tenants', 'client accounts'],
    rest: 'GET /settings/integrations/cloud',
    access: 'admin',
  },
  cloudAccountResource,
);
