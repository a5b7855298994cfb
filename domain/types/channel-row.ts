/** The columns that every type of Channel has. */
import type { ChannelSettings } from './channel-settings.ts';
import type { TypeLabel, TypeNeeds } from './type-needs.ts';

/** A source that calls this system: its Device listens for it all the time. */
export interface PushedSource {
  /** In the mode listener of the settings alone, or always. */
  when: 'always' | 'listener';
  protocol: 'rtmp' | 'srt';
  /** The setting that lets a sender in. */
  key: 'stream_key' | 'streamid';
  /** Who names no key gets one that nobody can guess. */
  isKeyMade: boolean;
  /** Each has a port of its own; else those of one port are told apart by application and key. */
  hasOwnPort: boolean;
  /** How a set-up asks for one, and what it is made with. */
  setUp: { ingest: string; name: string; settings: ChannelSettings };
}

/** The Channel of the cloud platform that takes in what is sent to `port` there. */
export type Gateway = (settings: ChannelSettings, port: number) => { type: string; settings: object };

export interface ChannelTypeRow {
  /** Fields of the settings that it must have, those that it may have beside them, and what is filled in. */
  required: readonly (keyof ChannelSettings)[];
  optional: readonly (keyof ChannelSettings)[];
  defaults: ChannelSettings;
  /** Schemes of the addresses that it is taken from. */
  schemes: readonly string[];
  /** It plays an Asset of the bucket files, which has an end, is read at any pace and keeps its form. */
  playsAsset: boolean;
  /** Who can take it in: any Device, the Device that its settings name, or the cloud platform alone. */
  place: 'any' | 'named' | 'cloud';
  pushed: PushedSource | null;
  /** A second connection to it is possible beside the first: a look at it, or a standby. */
  allowsSecond: boolean;
  /** A broadcast on air can be switched to it: files have an end, and inputs of a card have one place. */
  isSwitchable: boolean;
  /** Feature of a licence that it needs. */
  licence: 'videosite' | null;
  /** Whether it comes as MPEG-TS, which can hold cues of SCTE 35; `by name`: its address or its file says so. */
  transportStream: 'never' | 'by name' | 'always';
  /** Whether the cloud platform takes it, and as which Channel of its own. */
  cloud: 'refuses' | 'takes' | Gateway;
  needs: TypeNeeds;
  label: TypeLabel;
  /** The heading that the page puts it under. */
  heading: 'cloud' | null;
  /** The words behind its name in the manual. */
  manual: string;
  /** Needed settings in the words of addChannel; types that need the same have the same text. */
  needed: string;
  example: ChannelSettings;
}
