import { shownStore } from '../store/store-place.ts';
import type { Config } from './config.ts';

/** The settings that a support bundle may show. */
export function openSettings({
  bootstrapToken: _token,
  bootstrapPassword: _password,
  oidcClientSecret: _clientSecret,
  smtpUrl: _smtpUrl,
  fence: _fence,
  store,
  ...open
}: Config): Record<string, unknown> {
  return { ...open, store: shownStore({ store }) };
}
