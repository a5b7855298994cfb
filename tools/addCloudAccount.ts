import { cloudAccountResource } from '../domain/rules/devices/cloud-account.ts';
import { addTool } from '../toolkit/crud.ts';
import { orList } from '../domain/base/sentence.ts';
import { GATEWAY_TYPES } from '../domain/types/channel-questions.ts';

export const addCloudAccount = addTool(
  {
    name: 'addCloudAccount',
    summary: 'Add a Cloud account: a link to the managed cloud platform.',
    description:
      `Use it before a Channel of type ${orList(GATEWAY_TYPES)}. The platform is reached at ONAIR_CLOUD_URL; client_id is the user id there, password ` +
      'an API token of that user (write-only). It starts as UNKNOWN: try it with validateCloudAccount.',
    tag: 'Cloud',
    aliases: ['connect cloud', 'managed cloud', 'cloud credentials', 'new client account', 'cloud token'],
    rest: 'POST /settings/integrations/cloud',
    access: 'admin',
  },
  cloudAccountResource,
);
