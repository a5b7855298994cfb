/** A User in the drawer: what the role may do, what is open, and the profile. */
import { useSignal } from '@preact/signals';
import { can } from '../../api/can.ts';
import type { RowOf } from '../../api/operation-types.ts';
import { useOne } from '../../api/reads.ts';
import { askSession } from '../../api/sign-in.ts';
import { session } from '../../api/session.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { formWords } from '../../i18n/form-words.ts';
import { FormDialog } from '../../resource/form-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { Time } from '../../ui/show/time.tsx';
import { words } from './words.ts';

export function UserDetails({ user }: { user: RowOf<'getAllUsers'> }) {
  const { id, username } = user;
  const counted = useOne('getUserById', { userId: id, credentials: true }).data;
  const { data: profile, etag } = useOne('getUserProfile', { userId: id });
  const isEditing = useSignal(false);
  const w = words.value;
  const f = formWords.value;
  const saved = (): void => {
    isEditing.value = false;
    // What the person may do, and in which language, follows from the profile.
    if (session.value?.user === username) void askSession();
  };
  return (
    <>
      <p>{w.roleText[user.user_role]}</p>
      <Facts
        of={[
          [w.person, `${user.first_name} ${user.last_name}`.trim()],
          [fieldLabel('email'), user.email],
          [w.state, user.active ? (user.has_password ? w.active : w.noPassword) : w.disabled],
          [w.openNow, counted && `${w.sessions(counted.sessions ?? 0)}, ${w.tokens(counted.tokens ?? 0)}`],
          [w.mayIssue, profile && (profile.api ? f.yes : f.no)],
          [w.language, profile?.language],
          [w.passwords, profile && String(profile.password_version)],
          [f.since, <Time at={user.created_at} key="since" />],
        ]}
      />
      {profile !== undefined && can('updateUserProfile') && (
        <Button icon="pencil" label={w.editProfileOf(username)} onPress={() => (isEditing.value = true)}>
          {w.editProfile}
        </Button>
      )}
      {isEditing.value && profile !== undefined && (
        <FormDialog
          title={w.editProfileOf(username)}
          name={username}
          operation="updateUserProfile"
          params={{ userId: id }}
          row={profile}
          etag={etag}
          // The role is changed at the User itself.
          layout={{ hidden: ['role', 'admin'] }}
          onSaved={saved}
          onClose={() => (isEditing.value = false)}
        />
      )}
    </>
  );
}
