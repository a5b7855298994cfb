import { ACCOUNT_SETTINGS, cloudAccountResource } from '../domain/rules/devices/cloud-account.ts';
import { keepFinding } from '../domain/rules/rows/validated.ts';
import { validateTool } from '../toolkit/subjects/validate.ts';

export const validateCloudAccount = validateTool(
  {
    name: 'validateCloudAccount',
    summary: 'Validate a Cloud account: sign in at the cloud platform.',
    description:
      'Use it after adding or changing one, or when cloud starts fail. The platform at ONAIR_CLOUD_URL is really asked whose token the ' +
      'password is, within 15 s. Both outcomes are answers: validation_status is VALID, or INVALID with validation_error. Refused ' +
      '(409) when its settings change meanwhile. To correct it use updateCloudAccount.',
    tag: 'Cloud',
    aliases: ['test cloud account', 'revalidate cloud', 'check cloud credentials', 'cloud sign-in', 'managed cloud'],
    rest: 'POST /settings/integrations/cloud/{accountId}/validate',
    access: 'admin',
  },
  cloudAccountResource,
  {
    check: (integrations, account, signal) => integrations.checkCloudAccount(account, signal),
    keep: keepFinding('Cloud account', 'validateCloudAccount', ACCOUNT_SETTINGS),
  },
);
