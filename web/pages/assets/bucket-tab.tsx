/** One bucket of Assets. */
import { useSignal } from '@preact/signals';
import { can } from '../../api/can.ts';
import { ResourcePage, defineResource } from '../../resource/resource-page.tsx';
import { FormDialog } from '../../resource/form-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { notify } from '../../ui/registry/notices.ts';
import { durationText } from '../../zone.ts';
import { sizeText } from '../../ui/show/size-text.ts';
import type { Asset, Bucket } from './bucket.ts';
import { AssetDetails, LogoPicture } from './details.tsx';
import { UploadDialog } from './upload-dialog.tsx';
import { DropZone, UploadList } from './upload-list.tsx';
import { words } from './words.ts';

function assets(bucket: Bucket, onExport: (row: Asset) => void) {
  const w = words.value;
  const isLogo = bucket === 'logos';
  return defineResource({
    list: 'listAssets',
    remove: 'deleteAsset',
    paramsOf: ({ filename, fileType }) => ({ filename, fileType }),
    sort: { by: 'filename', order: 'asc' },
    nameOf: (row) => row.filename,
    words: () => ({ table: w.tabs[bucket], add: w.add[bucket], empty: w.empty[bucket] }),
    columns: () => [
      { id: 'name', label: w.name, cell: (row) => row.filename, sortBy: 'filename' },
      isLogo
        ? { id: 'picture', label: w.picture, cell: (row) => <LogoPicture row={row} size="small" /> }
        : { id: 'length', label: w.length, cell: lengthOf, align: 'end' },
      { id: 'dimensions', label: w.dimensions, cell: dimensionsOf, isMinor: true },
      { id: 'size', label: w.size, cell: (row) => sizeText(row.size_bytes), sortBy: 'size_bytes', align: 'end' },
    ],
    drawer: (row) => <AssetDetails row={row} />,
    acts: (row) =>
      bucket === 'clips' &&
      can('exportClip') && (
        <Button kind="quiet" label={w.exportOf(row.filename)} onPress={() => onExport(row)}>
          {w.exportText}
        </Button>
      ),
  });
}

function lengthOf({ duration_seconds: length }: Asset): string {
  return length === null ? '–' : durationText(length);
}

function dimensionsOf({ width, height }: Asset): string {
  return width === null || height === null ? '–' : `${width} × ${height}`;
}

export function BucketTab({ bucket }: { bucket: Bucket }) {
  const isAdding = useSignal(false);
  const exporting = useSignal<Asset | undefined>(undefined);
  const w = words.value;
  const row = exporting.value;
  const close = (): void => {
    exporting.value = undefined;
  };
  const mayAdd = can('uploadAsset');
  const list = (
    <ResourcePage
      of={assets(bucket, (asset) => (exporting.value = asset))}
      params={{ fileType: bucket }}
      isFiltered={false}
      bar={
        mayAdd && (
          <Button kind="main" icon="upload" onPress={() => (isAdding.value = true)}>
            {w.add[bucket]}
          </Button>
        )
      }
    />
  );
  return (
    <>
      <UploadList />
      {mayAdd ? <DropZone bucket={bucket}>{list}</DropZone> : list}
      {isAdding.value && <UploadDialog bucket={bucket} onClose={() => (isAdding.value = false)} />}
      {row !== undefined && (
        <FormDialog
          title={w.exportOf(row.filename)}
          operation="exportClip"
          params={{ filename: row.filename }}
          layout={{ hidden: ['fileType'] }}
          button={w.exportText}
          onSaved={({ name, location }) => {
            notify(w.exportedTo(name, location));
            close();
          }}
          onClose={close}
        >
          {!can('getAllTargetFolders') && <p class="soft">{w.folderHelp}</p>}
        </FormDialog>
      )}
    </>
  );
}
