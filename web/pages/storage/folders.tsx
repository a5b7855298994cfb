/** Remote Folders and Target Folders as resources. */
import type { RowOf } from '../../api/operation-types.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { formWords } from '../../i18n/form-words.ts';
import { defineResource } from '../../resource/resource-page.tsx';
import { FindingDetails, FindingState, ValidateButton } from '../../resource/validation.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { words } from './words.ts';

function setOrNot(isSet: boolean): string {
  return isSet ? formWords.value.isSet : formWords.value.none;
}

export const remoteFolders = defineResource({
  list: 'getAllRemoteFolders',
  one: 'getRemoteFolderById',
  add: 'addRemoteFolder',
  update: 'updateRemoteFolder',
  remove: 'deleteRemoteFolder',
  idParam: 'folderId',
  nameOf: ({ name }) => name,
  words: () => ({ table: words.value.tabs.remote, ...words.value.remote }),
  columns: () => [
    { id: 'name', label: fieldLabel('name'), cell: ({ name }) => name, sortBy: 'name' },
    {
      id: 'protocol',
      label: fieldLabel('protocol'),
      cell: ({ protocol }) => words.value.protocols[protocol],
      sortBy: 'protocol',
    },
    { id: 'place', label: words.value.place, cell: ({ host, folder }) => `${host} ${folder}`, isMinor: true },
    { id: 'finding', label: formWords.value.finding, cell: (row) => <FindingState of={row} /> },
  ],
  acts: ({ id, name }) => <ValidateButton name={name} operation="validateRemoteFolder" params={{ folderId: id }} />,
  drawer: (row) => (
    <>
      <FindingDetails of={row} />
      <Facts
        of={[
          [fieldLabel('protocol'), words.value.protocols[row.protocol]],
          [fieldLabel('host'), row.host],
          [fieldLabel('folder'), row.folder],
          [fieldLabel('user'), row.user],
          [words.value.password, row.protocol === 'WEBDAV' && setOrNot(row.has_password)],
        ]}
      />
    </>
  ),
  layout: { order: ['name', 'protocol'], choices: { protocol: { WEBDAV: 'WebDAV', NFS: 'NFS' } } },
});

type TargetFolder = RowOf<'getAllTargetFolders'>;

/** `s3://bucket/prefix`, `sftp://host:22/path`; nothing of who signs in. */
function placeOf({ type, host, port, bucket, folder }: TargetFolder): string {
  const at = type === 'S3' ? (bucket ?? '') : `${host ?? ''}${port === null ? '' : `:${port}`}`;
  const path = folder === null ? '' : folder.startsWith('/') ? folder : `/${folder}`;
  return `${type.toLowerCase()}://${at}${path}`;
}

function TargetDetails({ row }: { row: TargetFolder }) {
  const w = words.value;
  const { tls, secure } = row;
  return (
    <>
      <FindingDetails of={row} />
      <Facts
        of={[
          [fieldLabel('type'), row.type],
          [w.place, <code key="place">{placeOf(row)}</code>],
          [fieldLabel('endpoint'), row.endpoint],
          [fieldLabel('region'), row.region],
          [fieldLabel('user'), row.user],
          [fieldLabel('tls'), tls !== null && w.tls[tls]],
          [w.secure, secure !== null && <SecureState isSecure={secure} key="secure" />],
          [fieldLabel('host_fingerprint'), row.host_fingerprint && <code key="print">{row.host_fingerprint}</code>],
          [fieldLabel('access_key'), row.access_key],
          [w.password, row.type !== 'S3' && setOrNot(row.has_password)],
          [fieldLabel('secret_key'), row.type === 'S3' && setOrNot(row.has_secret_key)],
        ]}
      />
    </>
  );
}

function SecureState({ isSecure }: { isSecure: boolean }) {
  const w = words.value;
  return isSecure ? <span class="ok">✓ {w.isSecure}</span> : <span class="warn">▲ {w.isClear}</span>;
}

export const targetFolders = defineResource({
  list: 'getAllTargetFolders',
  one: 'getTargetFolderById',
  add: 'addTargetFolder',
  update: 'updateTargetFolder',
  remove: 'deleteTargetFolder',
  idParam: 'folderId',
  nameOf: ({ name }) => name,
  words: () => ({ table: words.value.tabs.target, ...words.value.target }),
  columns: () => [
    { id: 'name', label: fieldLabel('name'), cell: ({ name }) => name, sortBy: 'name' },
    { id: 'type', label: fieldLabel('type'), cell: ({ type }) => type, sortBy: 'type' },
    { id: 'place', label: words.value.place, cell: placeOf, isMinor: true },
    { id: 'finding', label: formWords.value.finding, cell: (row) => <FindingState of={row} /> },
  ],
  acts: ({ id, name }) => <ValidateButton name={name} operation="validateTargetFolder" params={{ folderId: id }} />,
  drawer: (row) => <TargetDetails row={row} />,
  layout: { advanced: ['host_fingerprint', 'region', 'endpoint'] },
});
