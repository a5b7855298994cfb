/** The clips that were cut out of one Recording: the event log knows them, the Assets say which are still there. */
import { call } from '../../../api/call.ts';
import type { RowOf } from '../../../api/operation-types.ts';
import { useQuery, type Answer } from '../../../api/query.ts';
import type { Span } from './marks.ts';

export interface Clip {
  id: number;
  filename: string;
  in: number;
  out: number;
  /** The pieces that it is joined of; one as a rule. */
  segments: readonly Span[];
  size_bytes: number;
  duration_seconds: number | null;
}

type AssetRow = Required<RowOf<'listAssets'>>;
type EventRow = Required<RowOf<'getAllEvents'>>;

const PAGE_ROWS = 500;
const MAX_PAGES = 10;

async function rowsOf<R>(
  ask: (page: number) => Promise<{ body: unknown }>,
  isEnough: (rows: R[]) => boolean,
): Promise<R[]> {
  const rows: R[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { body } = await ask(page);
    const answer = body as { rows: R[]; pagination: { totalPages: number } };
    rows.push(...answer.rows);
    if (page >= answer.pagination.totalPages || isEnough(rows)) break;
  }
  return rows;
}

async function clipsOf({ id, livestreamId, started_at: from }: Recorded, signal: AbortSignal): Promise<Clip[]> {
  const pageSize = PAGE_ROWS;
  const events = await rowsOf<EventRow>(
    (page) =>
      call('getAllEvents', {
        params: { livestreamId, from, kind: 'clip_created', sort: 'at', page, pageSize },
        signal,
      }),
    () => false,
  );
  const cuts = events.filter(({ data }) => data['recordingId'] === id);
  if (cuts.length === 0) return [];
  const names = new Set(cuts.map(({ data }) => data['filename']));
  const assets = await rowsOf<AssetRow>(
    (page) => call('listAssets', { params: { fileType: 'clips', sort: '-id', page, pageSize }, signal }),
    (rows) => [...names].every((name) => rows.some(({ filename }) => filename === name)),
  );
  return cuts.flatMap(({ data, at }) => {
    // A later clip may have taken the name of one that was deleted: the Asset and its event were written at one instant.
    const asset = assets.find(({ filename, created_at }) => filename === data['filename'] && created_at === at);
    if (asset === undefined) return [];
    const { filename, size_bytes, duration_seconds } = asset;
    const span = { in: Number(data['in']), out: Number(data['out']) };
    // Events of earlier versions have one piece and no list.
    const segments = (data['segments'] as Span[] | undefined) ?? [span];
    return [{ id: asset.id, filename, size_bytes, duration_seconds, ...span, segments }];
  });
}

interface Recorded {
  id: number;
  livestreamId: number;
  started_at: string;
}

export function useClips(recording: Recorded): Answer<Clip[]> {
  return useQuery(['assets', 'clips of', recording.id], (signal) => clipsOf(recording, signal));
}
