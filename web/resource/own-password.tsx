/** A new password for the person who is signed in. */
import { can } from '../api/can.ts';
import { session } from '../api/session.ts';
import { words } from '../i18n/words.ts';
import { announce } from '../ui/registry/notices.ts';
import { FormDialog } from './form-dialog.tsx';

const OTHERS = ['first_name', 'last_name', 'email', 'user_role', 'active'];

export default function OwnPassword({ onClose }: { onClose: () => void }) {
  const w = words.value;
  const { userId, user } = session.value ?? {};
  if (userId === undefined || !can('updateUser')) return null;
  return (
    <FormDialog
      title={w.changePassword}
      operation="updateUser"
      params={{ userId }}
      // The name stands there for password managers too.
      row={{ username: user }}
      layout={{ hidden: OTHERS, labels: { password: w.newPassword } }}
      onSaved={() => {
        announce(w.passwordChanged);
        onClose();
      }}
      onClose={onClose}
    >
      <p>{w.passwordText}</p>
    </FormDialog>
  );
}
