/** The options of a Live stream in its form, off air and on air. */
import type { ResourceLayout } from '../../../resource/pickers.ts';
import { words } from '../words.ts';

export function optionsLayout(): ResourceLayout & Required<Pick<ResourceLayout, 'pickers'>> {
  const { startWithoutSource, onDeviceLoss, causes, returns } = words.value.choices;
  return {
    radios: ['onDeviceLoss', 'startWithoutSource', 'failover.return'],
    choices: { onDeviceLoss, startWithoutSource, 'failover.on': causes, 'failover.return': returns },
    pickers: {
      'logo.filename': { list: 'listAssets', params: { fileType: 'logos' }, value: 'filename' },
      'fallback.filename': { list: 'listAssets', params: { fileType: 'files' }, value: 'filename' },
    },
  };
}
