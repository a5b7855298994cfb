/** The port to the services around this one; integrations/ implements it over their real protocols. */
import type { CloudAccount } from './cloud-account.ts';
import type { DrmProvider, DrmSystem, KeyTrack } from './drm-provider.ts';
import type { RemoteFolder, TargetFinding, TargetFolder } from './folder.ts';
import type {
  TranscriptionAccess,
  TranscriptionAccount,
  TranscriptionAssetStatus,
  TranscriptionHandOff,
  TranscriptionItem,
} from './transcription.ts';
import type { Finding } from './validation.ts';

/**
 * Each check really speaks to the other side, within a bound of seconds. What is wrong there is a Finding, never a rejection;
 * a reason holds no secret.
 */
export interface Integrations {
  checkRemoteFolder(folder: Readonly<RemoteFolder>, signal: AbortSignal): Promise<Finding>;
  checkTargetFolder(folder: Readonly<TargetFolder>, signal: AbortSignal): Promise<TargetFinding>;
  checkDrmProvider(provider: Readonly<DrmProvider>, signal: AbortSignal): Promise<Finding>;
  checkCloudAccount(account: Readonly<CloudAccount>, signal: AbortSignal): Promise<Finding>;
  /**
   * Content keys of a SPEKE or STATIC provider alike. Rejects with AppError upstream_failed or timeout when the key server does not
   * deliver what was asked for, rule_violated when a STATIC provider holds no key for it.
   */
  requestKeys(provider: Readonly<DrmProvider>, request: KeyRequest, signal: AbortSignal): Promise<ContentKeys>;
  /**
   * Copies a file into a Remote Folder, in place of what has its name there, reads it back and compares. Rejects with AppError
   * upstream_failed, whose message says why, or timeout when `signal` fires.
   */
  backUp(
    folder: Readonly<RemoteFolder>,
    file: OutgoingFile,
    signal: AbortSignal,
    progress?: TransferProgress,
  ): Promise<SentFile>;
  /**
   * The same into a Target Folder; what breaks off goes on where the protocol can. Rejects with AppError conflict too, where the name is
   * taken and is not to be replaced, and rule_violated for an SFTP server whose host key is not known yet.
   */
  exportTo(
    folder: Readonly<TargetFolder>,
    file: OutgoingFile & { replace: boolean },
    signal: AbortSignal,
    progress?: TransferProgress,
  ): Promise<SentFile & { location: string }>;
  readonly transcription: Transcription;
  /** Why nothing may be asked of a host that is an address; undefined: it may, or its name has to be resolved first. Asks nobody. */
  readonly hostRefusal: (host: string) => string | undefined;
}

/** Every byte goes out once and comes back once. */
export type TransferProgress = (done: number, total: number, what: 'sent' | 'verified') => void;

/** `name` is a plain file name over there; the content is a file of this machine, or a short text. */
export type OutgoingFile = { name: string } & ({ path: string; text?: undefined } | { text: string; path?: undefined });

/** What lies there, as it was read back. */
export interface SentFile {
  name: string;
  size_bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

/** Every call rejects with AppError upstream_failed or timeout when the provider does not answer as documented. */
export interface Transcription {
  account(access: TranscriptionAccess, signal: AbortSignal): Promise<TranscriptionAccount>;
  collections(access: TranscriptionAccess, signal: AbortSignal): Promise<TranscriptionItem[]>;
  templates(access: TranscriptionAccess, signal: AbortSignal): Promise<TranscriptionItem[]>;
  assetStatus(access: TranscriptionAccess, assetId: string, signal: AbortSignal): Promise<TranscriptionAssetStatus>;
  /** Hands the file at `path` over with what is known of it; answers the provider's id. What breaks off is sent again. */
  handOff(
    access: TranscriptionAccess,
    media: Omit<TranscriptionHandOff, 'size_bytes' | 'sha256'> & { path: string },
    signal: AbortSignal,
  ): Promise<{ asset_id: string; size_bytes: number; sha256: string }>;
}

export interface KeyRequest {
  /** At the key server. */
  contentid: string;
  /** Key ids by what they encrypt, 32 hexadecimal digits: ALL alone, or VIDEO and AUDIO. */
  kids: Readonly<Partial<Record<KeyTrack, string>>>;
  systems: readonly DrmSystem[];
  encryption_mode: 'cenc' | 'cbcs';
}

/** Secret: never logged, answered or stored outside of what encrypts with it. */
export interface ContentKeys {
  encryption_mode: 'cenc' | 'cbcs';
  keys: ContentKey[];
  signals: DrmSignal[];
}

export interface ContentKey {
  track: KeyTrack;
  /** 32 hexadecimal digits; of a STATIC provider that of the key it holds, whichever was asked for. */
  kid: string;
  /** AES-128, 32 hexadecimal digits. */
  key: string;
  /** Constant IV of cbcs, 32 hexadecimal digits; null for cenc, where each sample has its own. */
  iv: string | null;
}

/** What a manifest or an initialisation segment tells a player about one key in one DRM system; null: not delivered. */
export interface DrmSignal {
  system: DrmSystem;
  kid: string;
  /** The whole `pssh` box, base64 (ISO/IEC 23001-7 §8.1). */
  pssh: string | null;
  /** XML for the ContentProtection element of DASH. */
  content_protection: string | null;
  /** Lines for HLS: EXT-X-KEY in a media playlist, EXT-X-SESSION-KEY in the multivariant one. */
  hls_media: string | null;
  hls_master: string | null;
  /** URI of the key for EXT-X-KEY. */
  key_uri: string | null;
}
