/** DRM providers and Cloud accounts as resources. */
import { fieldLabel } from '../../i18n/field-labels.ts';
import { formWords } from '../../i18n/form-words.ts';
import { defineResource } from '../../resource/resource-page.tsx';
import { FindingDetails, FindingState, ValidateButton } from '../../resource/validation.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { words } from './words.ts';

function use(isEnabled: boolean): string {
  return isEnabled ? words.value.used : words.value.notUsed;
}

function setOrNot(isSet: boolean): string {
  return isSet ? formWords.value.isSet : formWords.value.none;
}

export const drmProviders = defineResource({
  list: 'getAllDrmProviders',
  one: 'getDrmProviderById',
  add: 'addDrmProvider',
  update: 'updateDrmProvider',
  remove: 'deleteDrmProvider',
  idParam: 'providerId',
  nameOf: ({ name }) => name,
  words: () => ({ table: words.value.tabs.drm, ...words.value.drm }),
  columns: () => [
    { id: 'name', label: fieldLabel('name'), cell: ({ name }) => name, sortBy: 'name' },
    { id: 'type', label: fieldLabel('provider_type'), cell: (row) => row.provider_type, sortBy: 'provider_type' },
    {
      id: 'systems',
      label: words.value.systems,
      cell: (row) => row.supported_systems.map((system) => words.value.systemNames[system]).join(', '),
      isMinor: true,
    },
    { id: 'use', label: words.value.use, cell: ({ enabled }) => use(enabled), isMinor: true },
    { id: 'finding', label: formWords.value.finding, cell: (row) => <FindingState of={row} /> },
  ],
  acts: ({ id, name }) => <ValidateButton name={name} operation="validateDrmProvider" params={{ providerId: id }} />,
  drawer: (row) => (
    <>
      <FindingDetails of={row} />
      <Facts
        of={[
          [fieldLabel('provider_type'), words.value.providers[row.provider_type]],
          [words.value.systems, row.supported_systems.map((system) => words.value.systemNames[system]).join(', ')],
          [fieldLabel('speke_url'), row.speke_url],
          [fieldLabel('tenant_id'), row.tenant_id],
          [fieldLabel('certificate'), row.certificate],
          [words.value.use, use(row.enabled)],
          [fieldLabel('credentials'), setOrNot(row.has_credentials)],
        ]}
      />
    </>
  ),
  layout: {
    order: ['name', 'provider_type', 'speke_url', 'tenant_id', 'supported_systems', 'credentials', 'encrypt_keys'],
    choices: {
      provider_type: { SPEKE: 'SPEKE', STATIC: 'Static' },
      supported_systems: { WIDEVINE: 'Widevine', PLAYREADY: 'PlayReady', FAIRPLAY: 'FairPlay' },
    },
  },
});

export const cloudAccounts = defineResource({
  list: 'getAllCloudAccounts',
  one: 'getCloudAccountById',
  add: 'addCloudAccount',
  update: 'updateCloudAccount',
  remove: 'deleteCloudAccount',
  idParam: 'accountId',
  nameOf: ({ client }) => client,
  words: () => ({ table: words.value.tabs.cloud, ...words.value.cloud }),
  columns: () => [
    { id: 'client', label: fieldLabel('client'), cell: ({ client }) => client, sortBy: 'client' },
    {
      id: 'client_id',
      label: fieldLabel('client_id'),
      cell: (row) => row.client_id,
      sortBy: 'client_id',
      isMinor: true,
    },
    { id: 'use', label: words.value.use, cell: ({ enabled }) => use(enabled) },
    { id: 'finding', label: formWords.value.finding, cell: (row) => <FindingState of={row} /> },
  ],
  acts: ({ id, client }) => (
    <ValidateButton name={client} operation="validateCloudAccount" params={{ accountId: id }} />
  ),
  drawer: (row) => (
    <>
      <FindingDetails of={row} />
      <Facts
        of={[
          [fieldLabel('client_id'), row.client_id],
          [words.value.use, use(row.enabled)],
          [fieldLabel('password'), setOrNot(row.has_password)],
        ]}
      />
    </>
  ),
  layout: { order: ['client', 'client_id', 'password'] },
});
