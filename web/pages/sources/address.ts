/** In a few words, where a Source comes from. */
import type { Schemas } from '../../../client/types.d.ts';
import type { sourcesEn } from '../../i18n/en/sources.ts';

export type Channel = Schemas['Channel'];

/** It goes by the settings that a Source has, whatever its type. */
export function addressOf({ settings }: Pick<Channel, 'settings'>, w: typeof sourcesEn): string {
  const { url, filename, loop, mode, host, port, app, deviceId, input = 0, video_id, cloudAccountId } = settings;
  const withPort = (place: string): string => (port === undefined ? place : `${place} · ${w.port(port)}`);
  if (filename !== undefined) return loop === false ? filename : `${filename} · ${w.loops}`;
  if (url !== undefined) return url;
  if (host !== undefined || mode !== undefined)
    return `${mode ?? 'caller'} ${host?.includes(':') ? `[${host}]` : (host ?? '')}:${port ?? ''}`;
  if (app !== undefined) return withPort(`/${app}`);
  if (deviceId !== undefined) return w.input(w.device(deviceId), input);
  if (cloudAccountId !== undefined) return withPort(w.cloud(cloudAccountId));
  return video_id ?? settings.source_name ?? w.auto;
}
