/** The menu of the person who is signed in. */
import { can } from '../api/can.ts';
import { call } from '../api/call.ts';
import { session } from '../api/session.ts';
import { problemLine } from '../i18n/problem-text.ts';
import { profileLanguage, words } from '../i18n/words.ts';
import { alarmTone, languageChoice, theme } from '../prefs.ts';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { isNarrow } from '../ui/narrow.ts';
import { announceFault } from '../ui/registry/notices.ts';
import { Icon } from '../ui/show/icon.tsx';
import { chooseAlarm } from './alarm/alarm-tone.ts';
import { isKeysOpen } from './keys-dialog.tsx';
import { leave } from './leave.ts';
import { openPassword } from './password.tsx';
import { ZoneChoice } from './zone-choice.tsx';

export function AccountMenu() {
  const w = words.value;
  const user = session.value?.user ?? '';
  const content = (close: () => void) => (
    <>
      {isNarrow.value && <ZoneChoice />}
      <label class="check">
        <input
          type="checkbox"
          checked={theme.value === 'light'}
          onChange={() => (theme.value = theme.value === 'light' ? 'dark' : 'light')}
        />
        {w.lightTheme}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={alarmTone.value === 'on'}
          onChange={({ currentTarget }) => chooseAlarm(currentTarget.checked)}
        />
        {w.alarmTone}
      </label>
      <label class="check">
        {w.language}
        <select
          value={languageChoice.value}
          onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as 'auto' | 'en' | 'es')}
        >
          {(['auto', 'en', 'es'] as const).map((language) => (
            <option key={language} value={language}>
              {w.languages[language]}
            </option>
          ))}
        </select>
      </label>
      <Button
        kind="quiet"
        icon="keyboard"
        keyHint="?"
        onPress={() => {
          close();
          isKeysOpen.value = true;
        }}
      >
        {w.keys}
      </Button>
      {session.value?.toolProfile !== 'readonly' && (
        <Button
          kind="quiet"
          icon="key"
          onPress={() => {
            close();
            openPassword();
          }}
        >
          {w.changePassword}
        </Button>
      )}
      <Button kind="quiet" icon="log-out" onPress={leave}>
        {w.signOut}
      </Button>
    </>
  );
  return (
    <Menu label={w.account(user)} content={content}>
      <Icon name="user" /> <span>{user}</span>
    </Menu>
  );
}

/** The choice holds in this browser; who may change their profile has it in others too. */
function chooseLanguage(language: 'auto' | 'en' | 'es'): void {
  languageChoice.value = language;
  const { userId } = session.value ?? {};
  if (language === 'auto' || userId === undefined || !can('updateUserProfile')) return;
  call('updateUserProfile', { params: { userId }, body: { language } }).then(
    () => (profileLanguage.value = language),
    (error: unknown) => announceFault(problemLine(error)),
  );
}
