/** A drawing of the sprite in web/style/icons.svg, beside words: it is never the only sign, and readers of screens pass over it. */

/** The drawings that the sprite has (Lucide's names). */
export type IconName =
  | 'activity'
  | 'archive'
  | 'arrow-left-right'
  | 'ban'
  | 'bell'
  | 'bell-off'
  | 'calendar-clock'
  | 'check'
  | 'chevron-down'
  | 'chevron-left'
  | 'chevron-right'
  | 'chevron-up'
  | 'circle-alert'
  | 'circle-play'
  | 'clock'
  | 'copy'
  | 'cpu'
  | 'download'
  | 'ellipsis'
  | 'eye-off'
  | 'film'
  | 'folder-open'
  | 'hard-drive'
  | 'headphones'
  | 'image'
  | 'key'
  | 'keyboard'
  | 'languages'
  | 'layers'
  | 'layout-grid'
  | 'link'
  | 'list'
  | 'log-out'
  | 'maximize'
  | 'megaphone'
  | 'menu'
  | 'monitor-off'
  | 'moon'
  | 'network'
  | 'pause'
  | 'pencil'
  | 'play'
  | 'plug'
  | 'plus'
  | 'power'
  | 'radio'
  | 'refresh-cw'
  | 'satellite-dish'
  | 'scissors'
  | 'scroll-text'
  | 'search'
  | 'server'
  | 'settings'
  | 'share-2'
  | 'skip-back'
  | 'skip-forward'
  | 'sliders-horizontal'
  | 'square'
  | 'sun'
  | 'trash-2'
  | 'triangle-alert'
  | 'type'
  | 'undo-2'
  | 'upload'
  | 'user'
  | 'users'
  | 'video'
  | 'x'
  | 'zoom-in';

// A file of its own, so that the policy needs no exception; the document names it with its hash.
const sprite = document.querySelector<HTMLMetaElement>('meta[name=icons]')?.content ?? '';

export function Icon({ name, size = 16 }: { name: IconName; size?: 16 | 20 | 24 }) {
  return (
    <svg class="icon" width={size} height={size} aria-hidden="true" focusable="false">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
