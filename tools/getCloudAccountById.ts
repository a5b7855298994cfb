import { cloudAccountResource } from '../domain/rules/devices/cloud-account.ts';
import { getTool } from '../toolkit/crud.ts';

export const getCloudAccountById = getTool(
  {
    name: 'getCloudAccountById',
    summary: 'Show one Cloud account: its user there, its state, its last validation.',
    description:
      'Use it to see whom the service is at the managed cloud platform and the outcome of the last validation. The password is never answered. ' +
      'To try it use validateCloudAccount.',
    tag: 'Cloud',
    aliases: ['cloud platform', 'managed cloud', 'cloud credentials', 'client account'],
    rest: 'GET /settings/integrations/cloud/{accountId}',
    access: 'admin',
  },
  cloudAccountResource,
);
