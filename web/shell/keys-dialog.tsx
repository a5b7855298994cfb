/** The list of the keys that act now, and the switch for those that act anywhere. */
import { signal } from '@preact/signals';
import { words } from '../i18n/words.ts';
import { globalKeys } from '../prefs.ts';
import { Dialog } from '../ui/dialog.tsx';
import { keysInForce } from '../ui/registry/keys.ts';

export const isKeysOpen = signal(false);

export function KeysDialog() {
  const w = words.value;
  return (
    <Dialog title={w.keys} description={w.keysText} onClose={() => (isKeysOpen.value = false)}>
      <label class="check">
        <input
          type="checkbox"
          checked={globalKeys.value === 'on'}
          onChange={({ currentTarget }) => (globalKeys.value = currentTarget.checked ? 'on' : 'off')}
        />
        {w.globalKeys}
      </label>
      <div class="dialog-scroll" tabIndex={0} role="group" aria-label={w.keys}>
        {groups().map(([group, rows]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl class="keys">
              {[...rows].map(([key, does]) => (
                <div key={key}>
                  <dt>
                    {key.split(' ').map((part) => (
                      <kbd key={part}>{part}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** Many tiles register the same keys: each stands there once. */
function groups(): [string, Map<string, string>][] {
  const all = new Map<string, Map<string, string>>();
  for (const { group, keys } of keysInForce.value) {
    const rows = all.get(group) ?? new Map<string, string>();
    for (const [key, { does, isListed }] of Object.entries(keys)) if (isListed !== false) rows.set(key, does);
    all.set(group, rows);
  }
  return [...all];
}
