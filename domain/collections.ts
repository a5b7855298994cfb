import type { Asset } from './asset.ts';
import type { Channel } from './channel.ts';
import type { Device } from './device.ts';
import type { Encoding, EncodingGroup } from './encoding.ts';
import type { LivestreamEvent } from './event.ts';
import type { Livestream } from './livestream.ts';
import type { Publishing, PublishingGroup } from './publishing.ts';
import type { Run } from './run.ts';
import type { ApiToken, AuditEntry, IdempotencyEntry, User } from './security.ts';

/** Stored rows by collection. Every row has `id`; the store allots it unless the collection is keyed from outside (`runs`). */
export interface CollectionRows {
  users: User;
  tokens: ApiToken;
  channels: Channel;
  encodings: Encoding;
  encodingGroups: EncodingGroup;
  publishings: Publishing;
  publishingGroups: PublishingGroup;
  assets: Asset;
  livestreams: Livestream;
  runs: Run;
  devices: Device;
  events: LivestreamEvent;
  audit: AuditEntry;
  idempotency: IdempotencyEntry;
}
export type CollectionName = keyof CollectionRows;

interface CollectionFacts<T> {
  /** Each entry is a set of fields whose values together occur once. */
  unique: readonly (readonly (keyof T & string)[])[];
  /** Fields that may be filtered and sorted by; `id` always may. */
  indexed: readonly (keyof T & string)[];
  /** Whether `search` (substring of `name`, case-insensitive) applies. */
  searchable: boolean;
}

export const COLLECTIONS: { readonly [C in CollectionName]: CollectionFacts<CollectionRows[C]> } = {
  users: {
    unique: [['username']],
    indexed: ['username', 'user_role', 'active', 'created_at', 'updated_at'],
    searchable: false,
  },
  tokens: {
    unique: [['kid'], ['token_hash']],
    indexed: ['kid', 'token_hash', 'userId', 'name', 'created_at', 'expires_at', 'revoked_at'],
    searchable: true,
  },
  channels: { unique: [['name']], indexed: ['name', 'type', 'created_at', 'updated_at'], searchable: true },
  encodings: { unique: [['name']], indexed: ['name', 'created_at', 'updated_at'], searchable: true },
  encodingGroups: { unique: [['name']], indexed: ['name', 'created_at', 'updated_at'], searchable: true },
  publishings: { unique: [['name']], indexed: ['name', 'type', 'created_at', 'updated_at'], searchable: true },
  publishingGroups: { unique: [['name']], indexed: ['name', 'created_at', 'updated_at'], searchable: true },
  assets: {
    unique: [['fileType', 'filename']],
    indexed: ['filename', 'fileType', 'size_bytes', 'created_at'],
    searchable: false,
  },
  livestreams: {
    unique: [['name']],
    indexed: [
      'name', 'enabled', 'channelId', 'encodingId', 'encodingGroupId', 'publishingId', 'publishingGroupId', 'deviceId',
      'idEncoderGroup', 'created_at', 'updated_at',
    ],
    searchable: true,
  }, // prettier-ignore
  runs: { unique: [], indexed: ['status', 'desired', 'deviceId'], searchable: false },
  devices: { unique: [['name']], indexed: ['name', 'type', 'enabled', 'created_at', 'updated_at'], searchable: true },
  events: { unique: [], indexed: ['livestreamId', 'kind', 'severity', 'at'], searchable: false },
  audit: { unique: [], indexed: ['user', 'operation', 'at', 'resource', 'resource_id'], searchable: false },
  idempotency: { unique: [['key']], indexed: ['key', 'expires_at'], searchable: false },
};
