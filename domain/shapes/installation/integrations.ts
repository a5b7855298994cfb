/** The port to the services around this one; integrations/ implements it over their real protocols. */
import type { CloudAccount } from '../devices/cloud-account.ts';
import type { DrmProvider, DrmSystem, KeyTrack } from '../destinations/drm-provider.ts';
import type { RemoteFolder, TargetFinding, TargetFolder } from '../media/folder.ts';
import type { Mail, MailOutcome } from './mail.ts';
import type {
  TranscriptionAccess,
  TranscriptionAccount,
  TranscriptionAssetStatus,
  TranscriptionHandOff,
  TranscriptionItem,
} from '../media/transcription.ts';
import type { Finding } from '../../base/validation.ts';

/**
 * Each check calls the other service, within a bound of seconds. A fault there is a Finding, never a rejection; a reason holds no secret.
 */
export interface Integrations {
  checkRemoteFolder(folder: Readonly<RemoteFolder>, signal: AbortSignal): Promise<Finding>;
  checkTargetFolder(folder: Readonly<TargetFolder>, signal: AbortSignal): Promise<TargetFinding>;
  checkDrmProvider(provider: Readonly<DrmProvider>, signal: AbortSignal): Promise<Finding>;
  checkCloudAccount(account: Readonly<CloudAccount>, signal: AbortSignal): Promise<Finding>;
  /**
   * Content keys of a SPEKE or STATIC provider. Rejects with AppError upstream_failed or timeout when the key server does not deliver the
   * requested keys, rule_violated when a STATIC provider has none for them.
   */
  requestKeys(provider: Readonly<DrmProvider>, request: KeyRequest, signal: AbortSignal): Promise<ContentKeys>;
  /**
   * Copies a file into a Remote Folder, replacing one of its name, reads it back and compares. Rejects with AppError upstream_failed, whose
   * message says why, or timeout when `signal` fires.
   */
  backUp(
    folder: Readonly<RemoteFolder>,
    file: OutgoingFile,
    signal: AbortSignal,
    progress?: TransferProgress,
  ): Promise<SentFile>;
  /**
   * Does the same into a Target Folder and resumes a broken transfer where the protocol can. Rejects with AppError conflict too, where the
   * name is taken and is not to be replaced, and rule_violated for an SFTP server whose host key is not known yet.
   */
  exportTo(
    folder: Readonly<TargetFolder>,
    file: OutgoingFile & { replace: boolean },
    signal: AbortSignal,
    progress?: TransferProgress,
  ): Promise<SentFile & { location: string }>;
  /**
   * Rejects with AppError rule_violated where no mail server is set, upstream_failed with its words when it takes the mail for nobody, timeout
   * when `signal` fires.
   */
  sendMail(mail: Mail, signal: AbortSignal): Promise<MailOutcome>;
  readonly transcription: Transcription;
  /**
   * Answers why no request may go to a host that is an address; undefined when it may, or when its name has to be resolved first. It makes
   * no request.
   */
  readonly hostRefusal: (host: string) => string | undefined;
}

/** Every byte goes out once and comes back once. */
export type TransferProgress = (done: number, total: number, what: 'sent' | 'verified') => void;

/** `name` is a plain file name over there; the content is a file of this machine, or a short text. */
export type OutgoingFile = { name: string } & ({ path: string; text?: undefined } | { text: string; path?: undefined });

/** A file in the folder, as it was read back. */
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
  /** Hands over the file at `path` with its known facts and answers the provider's id. A broken transfer is repeated. */
  handOff(
    access: TranscriptionAccess,
    media: Omit<TranscriptionHandOff, 'size_bytes' | 'sha256'> & { path: string },
    signal: AbortSignal,
  ): Promise<{ asset_id: string; size_bytes: number; sha256: string }>;
}

export interface KeyRequest {
  /** The content's id at the key server. */
  contentid: string;
  /** Key ids by the tracks they encrypt, 32 hexadecimal digits: ALL alone, or VIDEO and AUDIO. */
  kids: Readonly<Partial<Record<KeyTrack, string>>>;
  systems: readonly DrmSystem[];
  encryption_mode: 'cenc' | 'cbcs';
  /** Number of the period whose keys they are; left out where the keys are never replaced. */
  period?: number;
}

/** A secret: it is never logged, answered or stored outside of the process that encrypts with it. */
export interface ContentKeys {
  encryption_mode: 'cenc' | 'cbcs';
  keys: ContentKey[];
  signals: DrmSignal[];
}

export interface ContentKey {
  track: KeyTrack;
  /** 32 hexadecimal digits; for a STATIC provider the id of the key that it has, whichever was requested. */
  kid: string;
  /** AES-128, 32 hexadecimal digits. */
  key: string;
  /** Constant IV of cbcs, 32 hexadecimal digits; null for cenc, where each sample has its own. */
  iv: string | null;
}

/** Signalling of one key in one DRM system for a manifest or an initialisation segment; null fields are not delivered. */
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
