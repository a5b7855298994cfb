/** ContentProtection of an MPD: the scheme, and for each key system how a player gets the key (DASH-IF IOP, part 6). */
import { element, type Element } from './xml-text.ts';

export interface ContentProtection {
  /** ISO/IEC 23001-7 §10. */
  scheme: 'cenc' | 'cbcs';
  /** 32 hexadecimal digits. */
  defaultKeyId: string;
  systems: readonly {
    /** Id in the registry of dashif.org, e.g. edef8ba9-79d6-4ace-a3c8-27dcd51d21ed for Widevine. */
    systemId: string;
    /** A whole pssh box, base64. */
    pssh?: string | undefined;
    /** PlayReady header object, base64. */
    playReadyObject?: string | undefined;
    /** Well-formed content of the key server, in place of ours. */
    xml?: string | undefined;
  }[];
}

export function protectionElements({ scheme, defaultKeyId, systems }: ContentProtection): Element[] {
  const hex = defaultKeyId;
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  const common = { schemeIdUri: 'urn:mpeg:dash:mp4protection:2011', value: scheme, 'cenc:default_KID': uuid };
  return [
    element('ContentProtection', common),
    ...systems.map(({ systemId, pssh, playReadyObject, xml }) =>
      element('ContentProtection', { schemeIdUri: `urn:uuid:${systemId}` }, [
        ...(xml === undefined ? [] : [xml.replaceAll(/\s+/gu, ' ')]),
        ...(xml !== undefined || pssh === undefined ? [] : [element('cenc:pssh', {}, pssh)]),
        ...(xml !== undefined || playReadyObject === undefined ? [] : [element('mspr:pro', {}, playReadyObject)]),
      ]),
    ),
  ];
}
