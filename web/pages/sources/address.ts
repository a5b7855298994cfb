/** In a few words, where a Source comes from. */
import type { Schemas } from '../../../client/types.d.ts';
import type { sourcesEn } from '../../i18n/en/sources.ts';

export type Channel = Schemas['Channel'];

export function addressOf({ type, settings }: Pick<Channel, 'type' | 'settings'>, w: typeof sourcesEn): string {
  const { url = '', filename = '', loop, host = '', port, app = '', deviceId, input = 0, cloudAccountId } = settings;
  switch (type) {
    case 'File':
      return loop === false ? filename : `${filename} · ${w.loops}`;
    case 'Stream':
      return url;
    case 'SRT':
      return `${settings.mode ?? 'caller'} ${host.includes(':') ? `[${host}]` : host}:${port ?? ''}`;
    case 'RTMP-Push':
      return [`/${app}`, port !== undefined && w.port(port)].filter((part) => part !== false).join(' · ');
    case 'SDI':
    case 'AES/EBU':
      return w.input(w.device(deviceId ?? 0), input);
    case 'NDI':
      return settings.source_name ?? w.auto;
    case 'VideoSite Live':
      return settings.video_id ?? '';
    default:
      return [w.cloud(cloudAccountId ?? 0), port !== undefined && w.port(port)]
        .filter((part) => part !== false)
        .join(' · ');
  }
}
