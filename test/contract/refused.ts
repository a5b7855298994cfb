import type { ErrorCode } from '../../domain/base/errors.ts';

/** Operations that ask a service which does not answer here, or a broadcast that is not on air. */
export const REFUSED: Readonly<Record<string, ErrorCode>> = {
  runtimeApplyLogo: 'wrong_state',
  runtimeApplyBlackout: 'wrong_state',
  runtimeTogglePublishings: 'wrong_state',
  runtimeApplySourceSwitch: 'wrong_state',
  runtimePushMetadata: 'wrong_state',
  runtimeSetAdValues: 'wrong_state',
  runtimeRecord: 'wrong_state',
  moveLivestream: 'wrong_state',
  setLivestreamText: 'wrong_state',
  toggle_destination: 'wrong_state',
  getLivestreamPreview: 'wrong_state',
  // No mail server is set.
  testMailRule: 'rule_violated',
  getTranscriptionAccount: 'upstream_failed',
  getTranscriptionCollections: 'upstream_failed',
  getTranscriptionTemplates: 'upstream_failed',
  getTranscriptionAssetStatus: 'upstream_failed',
  handOffToTranscription: 'upstream_failed',
  exportClip: 'upstream_failed',
  probeChannel: 'upstream_failed',
  getChannelPreview: 'not_found',
};
