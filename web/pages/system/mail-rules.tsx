/** Who gets a mail of which faults, and a test that says whether one arrives at the mail server. */
import { useSignal } from '@preact/signals';
import { call, dataIn } from '../../api/call.ts';
import { can } from '../../api/can.ts';
import type { DataOf, RowOf } from '../../api/operation-types.ts';
import { ProblemError } from '../../api/problems.ts';
import { kindText } from '../../i18n/event-text.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { words as common } from '../../i18n/words.ts';
import { MembersField } from '../../resource/members-field.tsx';
import { ResourcePage, defineResource } from '../../resource/resource-page.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { FieldView } from '../../ui/form/form-context.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Time } from '../../ui/show/time.tsx';
import { words } from './words.ts';
import { Cause } from '../../ui/show/cause.tsx';
import { eventGroups } from './event-groups.ts';

type Rule = RowOf<'getAllMailRules'>;

function Streams(view: FieldView) {
  return <MembersField view={view} of={{ list: 'getAllLivestreams' }} />;
}

function LastMail({ of: { enabled, last_sent_at: at, last_error: error } }: { of: Rule }) {
  const w = words.value.mails;
  if (!enabled) return <span class="soft">{w.off}</span>;
  if (error !== null)
    return (
      <span class="fault">
        ✕ <Cause text={error} />
      </span>
    );
  return at === null ? <span class="soft">{w.never}</span> : <Time at={at} />;
}

/** The mail server takes half a minute at most. */
function TestButton({ of: { id, name } }: { of: Rule }) {
  const isBusy = useSignal(false);
  const outcome = useSignal<DataOf<'testMailRule'> | ProblemError | undefined>(undefined);
  const w = words.value.mails;
  const test = async (): Promise<void> => {
    isBusy.value = true;
    try {
      const { body } = await call('testMailRule', { params: { ruleId: id } });
      outcome.value = dataIn(body) as DataOf<'testMailRule'>;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      outcome.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  const close = (): void => {
    outcome.value = undefined;
  };
  const shown = outcome.value;
  return (
    <>
      <Button kind="quiet" label={w.testOf(name)} busy={isBusy.value && w.testing} onPress={() => void test()}>
        {w.test}
      </Button>
      {shown !== undefined && (
        <Dialog title={w.testOf(name)} onClose={close}>
          {shown instanceof ProblemError ? (
            <ProblemAlert problem={shown} />
          ) : (
            <>
              {shown.accepted.length > 0 && <p>{w.accepted(shown.accepted.join(', '))}</p>}
              {shown.rejected.length > 0 && <p class="fault">{w.rejected(shown.rejected.join(', '))}</p>}
            </>
          )}
          <footer class="dialog-foot">
            <Button kind="main" onPress={close}>
              {common.value.ui.close}
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  );
}

function rules() {
  const w = words.value.mails;
  return defineResource({
    list: 'getAllMailRules',
    add: 'addMailRule',
    update: 'updateMailRule',
    remove: 'deleteMailRule',
    idParam: 'ruleId',
    nameOf: ({ name }) => name,
    words: () => ({ table: w.title, add: w.add, empty: w.empty }),
    sort: { by: 'name', order: 'asc' },
    columns: () => [
      { id: 'name', label: fieldLabel('name'), cell: ({ name }) => name, sortBy: 'name' },
      { id: 'to', label: w.recipients, cell: ({ recipients }) => recipients.join(', '), isMinor: true },
      { id: 'last', label: w.last, cell: (row) => <LastMail of={row} /> },
    ],
    acts: (row) => can('testMailRule') && <TestButton of={row} />,
    layout: {
      order: ['name', 'recipients', 'livestreamIds', 'tags', 'enabled'],
      advanced: ['after_seconds', 'conditions', 'quiet_hours', 'digest'],
      labels: w.fields,
      choices: { digest: w.digests, conditions: kindText },
      groups: { conditions: eventGroups() },
      controls: { livestreamIds: Streams },
    },
  });
}

export function MailRules() {
  const w = words.value.mails;
  if (!can('getAllMailRules')) return null;
  return (
    <section aria-label={w.title}>
      <h2>{w.title}</h2>
      <p class="soft">{w.about}</p>
      <ResourcePage of={rules()} />
    </section>
  );
}
