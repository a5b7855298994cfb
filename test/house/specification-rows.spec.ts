/** docs/specification-rows.md names every type and every field of the specification, each with a test that exists. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CHANNEL_TYPES } from '../../domain/types/channel-types.ts';
import { PUBLISHING_TYPES } from '../../domain/types/destination-types.ts';
import { ROOT, textOf } from './sources.ts';

/** The fields that the specification names, by its headings. */
const FIELDS: Readonly<Record<string, string>> = {
  'API token': 'id kid token name expires_days created_at expires_at',
  User: 'username first_name last_name email',
  'User profile': 'role api admin language password_version',
  'User group': 'id name elements',
  'Live stream':
    'status idEncoderGroup startConfig startAllowed scteMarkers overlay includeDestinations includeChannel',
  Channel: 'type',
  Destination: 'type segment_duration stream_key primary_enabled backup_enabled drm.encryption_mode drm.systems retry',
  'Destination group': 'id name description elements',
  Encoding:
    'settings_video.codec settings_audio.codec settings_video.bitrate settings_audio.bitrate settings_video.width ' +
    'settings_video.height settings_video.fps settings_video.hdr_mode settings_video.h264.keyframe_interval',
  'Encoding group': 'id name pipeline description quality_order elements',
  Device: 'alias location ip_address type enabled mountstatus licensed register_username register_password',
  'Device group': 'id name description devices',
  Schedule: 'livestreamId start end idEncoderGroup recurrence.type enabled',
  'Planned action': 'status',
  Recording: 'name livestreamId duration_seconds size_bytes started_at ended_at qualities remotefolder tracks',
  'Remote Folder': 'name host folder protocol user validation_status',
  'Target Folder': 'type password secret_key',
  Asset: 'fileType filename',
  'DRM provider': 'provider_type supported_systems credentials',
  'Cloud account': 'client client_id password enabled',
  'Transcription integration': 'tenant_url default_collection default_template status',
};

interface Row {
  names: string[];
  tests: string[];
}

/** The rows of each section: names in front of the first colon, tests behind it. */
function sections(): Map<string, Row[]> {
  const parts = textOf('docs/specification-rows.md').split(/^## /mu).slice(1);
  return new Map(
    parts.map((part) => {
      const [title = '', ...lines] = part.split('\n');
      const items = lines.join('\n').split(/^- /mu).slice(1);
      const rows = items.map((item): Row => {
        const [head = '', ...rest] = item.split('`: ');
        const spans = (text: string): string[] => [...text.matchAll(/`([^`]+)`/gu)].map((match) => match[1]!);
        return { names: spans(`${head}\``), tests: spans(rest.join('`: ')).filter((span) => span.startsWith('test/')) };
      });
      return [title.trim(), rows];
    }),
  );
}

describe('docs/specification-rows.md', () => {
  const found = sections();
  const wanted = new Map<string, readonly string[]>([
    ['Channel types', CHANNEL_TYPES],
    ['Destination types', PUBLISHING_TYPES],
    ...Object.entries(FIELDS).map(([title, fields]) => [title, fields.split(' ')] as const),
  ]);

  it('has a row for every Channel type, every Destination type and every field of the specification', () => {
    for (const [title, names] of wanted) {
      const named = (found.get(title) ?? []).flatMap((row) => row.names);
      assert.deepEqual(
        names.filter((name) => !named.includes(name)),
        [],
        `without a row under ${title}`,
      );
    }
  });

  it('names a test in each row, and no test that does not exist', () => {
    for (const [title, rows] of found)
      for (const { names, tests } of rows) {
        assert.ok(tests.length > 0, `${title}: ${names.join(', ')} has no test`);
        assert.deepEqual(
          tests.filter((path) => !existsSync(join(ROOT, path))),
          [],
          `${title}: ${names.join(', ')}`,
        );
      }
  });
});
