/** The settings of the transcription provider, and a call of the account that they name. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call, dataIn } from '../../api/call.ts';
import { can } from '../../api/can.ts';
import type { DataOf } from '../../api/operation-types.ts';
import { useOne } from '../../api/reads.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { formWords } from '../../i18n/form-words.ts';
import { FormDialog } from '../../resource/form-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Outline } from '../../ui/show/outline.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/show/time.tsx';
import { words } from './words.ts';

export function Transcription() {
  const { data: config, etag, error } = useOne('getTranscriptionConfig', {});
  const isEditing = useSignal(false);
  const w = words.value.transcription;
  const f = formWords.value;
  useEffect(() => {
    if (config !== undefined) performance.mark('useful');
  }, [config === undefined]);
  if (config === undefined) return error === null ? <Outline rows={4} /> : <ProblemAlert problem={error} />;
  const isSetUp = config.tenant_url !== null && config.has_api_key;
  const rows = [
    { id: 'tenant_url', value: config.tenant_url ?? f.none },
    { id: 'api_key', value: config.has_api_key ? f.isSet : f.none },
    { id: 'default_collection', value: config.default_collection ?? f.none },
    { id: 'default_template', value: config.default_template ?? f.none },
    { id: 'updated_at', value: config.updated_at === null ? f.none : <Time at={config.updated_at} /> },
  ];
  return (
    <>
      <div class="bar">
        {can('updateTranscriptionConfig') && (
          <Button icon="pencil" onPress={() => (isEditing.value = true)}>
            {w.edit}
          </Button>
        )}
      </div>
      {!isSetUp && <p>{w.notSetUp}</p>}
      <Table
        label={words.value.tabs.transcription}
        rows={rows}
        idOf={({ id }) => id}
        columns={[
          { id: 'setting', label: w.setting, cell: ({ id }) => (id === 'updated_at' ? w.changed : fieldLabel(id)) },
          { id: 'value', label: w.value, cell: ({ value }) => value },
        ]}
      />
      {isSetUp && <Account />}
      {isEditing.value && (
        <FormDialog
          title={w.edit}
          operation="updateTranscriptionConfig"
          row={config}
          etag={etag}
          layout={{
            order: ['tenant_url', 'api_key'],
            // Who has not set up the account yet cannot be shown what it holds.
            ...(isSetUp && {
              pickers: {
                default_collection: 'getTranscriptionCollections',
                default_template: 'getTranscriptionTemplates',
              },
            }),
          }}
          onSaved={() => (isEditing.value = false)}
          onClose={() => (isEditing.value = false)}
        />
      )}
    </>
  );
}

/** The provider is asked on demand alone: its answer takes as long as it likes. */
function Account() {
  const account = useSignal<DataOf<'getTranscriptionAccount'> | undefined>(undefined);
  const problem = useSignal<Error | undefined>(undefined);
  const isBusy = useSignal(false);
  const w = words.value.transcription;
  const ask = (): void => {
    isBusy.value = true;
    problem.value = undefined;
    call('getTranscriptionAccount')
      .then(
        ({ body }) => {
          account.value = dataIn(body) as DataOf<'getTranscriptionAccount'>;
        },
        (error: Error) => {
          account.value = undefined;
          problem.value = error;
        },
      )
      .finally(() => (isBusy.value = false));
  };
  const found = account.value;
  const minutes = found && String(found.minutes_used);
  return (
    <div class="account">
      <Button busy={isBusy.value && w.checking} onPress={ask}>
        {w.check}
      </Button>
      <ProblemAlert problem={problem.value} />
      <p role="status">
        {found !== undefined && minutes !== undefined && (
          <>
            <span class="ok">✓ {formWords.value.findings.VALID}</span> · {w.account}: {found.name} · {w.minutes}:{' '}
            {found.minutes_included === null ? minutes : w.minutesOf(minutes, String(found.minutes_included))}
          </>
        )}
      </p>
    </div>
  );
}
