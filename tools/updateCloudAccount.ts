import { cloudAccountResource } from '../domain/rules/devices/cloud-account.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateCloudAccount = updateTool(
  {
    name: 'updateCloudAccount',
    summary: 'Change a Cloud account: its user, password, name or enabled.',
    description:
      'Use it to rotate the API token or to switch the account off. Only what is sent changes. Another client_id, password or enabled sets ' +
      'validation_status to UNKNOWN: validate it again with validateCloudAccount.',
    tag: 'Cloud',
    aliases: ['rotate cloud token', 'cloud password', 'managed cloud', 'disable cloud', 'edit client account'],
    rest: 'PUT /settings/integrations/cloud/{accountId}',
    access: 'admin',
  },
  cloudAccountResource,
);
