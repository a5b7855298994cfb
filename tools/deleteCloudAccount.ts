import { cloudAccountResource } from '../domain/rules/devices/cloud-account.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteCloudAccount = deleteTool(
  {
    name: 'deleteCloudAccount',
    summary: 'Delete a Cloud account that no Channel uses.',
    description:
      'Use it to remove the link and its password for good. It is refused (in_use) while a Channel refers to it; the answer names them. ' +
      'To stop its use for a while set enabled to false with updateCloudAccount.',
    tag: 'Cloud',
    aliases: ['disconnect cloud', 'remove cloud account', 'forget cloud credentials', 'managed cloud'],
    rest: 'DELETE /settings/integrations/cloud/{accountId}',
    access: 'admin',
  },
  cloudAccountResource,
);
