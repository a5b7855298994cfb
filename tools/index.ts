import type { Tool } from '../toolkit/tool.ts';
import { acknowledgeEvent } from './acknowledgeEvent.ts';
import { acknowledgeRestore } from './acknowledgeRestore.ts';
import { addChannel } from './addChannel.ts';
import { addCloudAccount } from './addCloudAccount.ts';
import { addDevice } from './addDevice.ts';
import { addDrmProvider } from './addDrmProvider.ts';
import { addEncoding } from './addEncoding.ts';
import { addEncodingGroup } from './addEncodingGroup.ts';
import { addLivestream } from './addLivestream.ts';
import { addLivestreamAction } from './addLivestreamAction.ts';
import { addMailRule } from './addMailRule.ts';
import { addPublishing } from './addPublishing.ts';
import { addPublishingGroup } from './addPublishingGroup.ts';
import { addRemoteFolder } from './addRemoteFolder.ts';
import { addSchedule } from './addSchedule.ts';
import { addTargetFolder } from './addTargetFolder.ts';
import { addUser } from './addUser.ts';
import { addUserGroup } from './addUserGroup.ts';
import { addWall } from './addWall.ts';
import { createApiToken } from './createApiToken.ts';
import { createClip } from './createClip.ts';
import { createDeviceGroup } from './createDeviceGroup.ts';
import { createDisplayLink } from './createDisplayLink.ts';
import { createJoinToken } from './createJoinToken.ts';
import { createPlaybackLink } from './createPlaybackLink.ts';
import { createRecordingDownload } from './createRecordingDownload.ts';
import { deleteAsset } from './deleteAsset.ts';
import { deleteChannel } from './deleteChannel.ts';
import { deleteCloudAccount } from './deleteCloudAccount.ts';
import { deleteDevice } from './deleteDevice.ts';
import { deleteDeviceGroup } from './deleteDeviceGroup.ts';
import { deleteDrmProvider } from './deleteDrmProvider.ts';
import { deleteEncoding } from './deleteEncoding.ts';
import { deleteEncodingGroup } from './deleteEncodingGroup.ts';
import { deleteLivestream } from './deleteLivestream.ts';
import { deleteMailRule } from './deleteMailRule.ts';
import { deletePlannedAction } from './deletePlannedAction.ts';
import { deletePublishing } from './deletePublishing.ts';
import { deletePublishingGroup } from './deletePublishingGroup.ts';
import { deleteRecording } from './deleteRecording.ts';
import { deleteRemoteFolder } from './deleteRemoteFolder.ts';
import { deleteSchedule } from './deleteSchedule.ts';
import { deleteTargetFolder } from './deleteTargetFolder.ts';
import { deleteUser } from './deleteUser.ts';
import { deleteUserGroup } from './deleteUserGroup.ts';
import { deleteWall } from './deleteWall.ts';
import { disablePlannedAction } from './disablePlannedAction.ts';
import { downloadSystemInfo } from './downloadSystemInfo.ts';
import { drainDevice } from './drainDevice.ts';
import { enablePlannedAction } from './enablePlannedAction.ts';
import { exportClip } from './exportClip.ts';
import { getAllChannels } from './getAllChannels.ts';
import { getAllCloudAccounts } from './getAllCloudAccounts.ts';
import { getAllDeviceGroups } from './getAllDeviceGroups.ts';
import { getAllDevices } from './getAllDevices.ts';
import { getAllDrmProviders } from './getAllDrmProviders.ts';
import { getAllEncodingGroups } from './getAllEncodingGroups.ts';
import { getAllEncodings } from './getAllEncodings.ts';
import { getAllEvents } from './getAllEvents.ts';
import { getAllLivestreams } from './getAllLivestreams.ts';
import { getAllMailRules } from './getAllMailRules.ts';
import { getAllPlannedActions } from './getAllPlannedActions.ts';
import { getAllPublishingGroups } from './getAllPublishingGroups.ts';
import { getAllPublishings } from './getAllPublishings.ts';
import { getAllRemoteFolders } from './getAllRemoteFolders.ts';
import { getAllSchedules } from './getAllSchedules.ts';
import { getAllTargetFolders } from './getAllTargetFolders.ts';
import { getAllUserGroups } from './getAllUserGroups.ts';
import { getAllUsers } from './getAllUsers.ts';
import { getAllWalls } from './getAllWalls.ts';
import { getAuditLog } from './getAuditLog.ts';
import { getChannelById } from './getChannelById.ts';
import { getChannelPreview } from './getChannelPreview.ts';
import { getCloudAccountById } from './getCloudAccountById.ts';
import { getDeviceById } from './getDeviceById.ts';
import { getDevicesLiveStatus } from './getDevicesLiveStatus.ts';
import { getDevicesStatus } from './getDevicesStatus.ts';
import { getDrmProviderById } from './getDrmProviderById.ts';
import { getEncodingById } from './getEncodingById.ts';
import { getLivestreamActions } from './getLivestreamActions.ts';
import { getLivestreamAudience } from './getLivestreamAudience.ts';
import { getLivestreamById } from './getLivestreamById.ts';
import { getLivestreamEnriched } from './getLivestreamEnriched.ts';
import { getLivestreamEvents } from './getLivestreamEvents.ts';
import { getLivestreamPreview } from './getLivestreamPreview.ts';
import { getLivestreamStartConfig } from './getLivestreamStartConfig.ts';
import { getLivestreamStatus } from './getLivestreamStatus.ts';
import { getLivestreamsStatus } from './getLivestreamsStatus.ts';
import { getMembers } from './getMembers.ts';
import { getPlannedAction } from './getPlannedAction.ts';
import { getPublishingById } from './getPublishingById.ts';
import { getRecording } from './getRecording.ts';
import { getRecordingTracks } from './getRecordingTracks.ts';
import { getRecordings } from './getRecordings.ts';
import { getRemoteFolderById } from './getRemoteFolderById.ts';
import { getRestore } from './getRestore.ts';
import { getRunReport } from './getRunReport.ts';
import { getScheduleById } from './getScheduleById.ts';
import { getScheduleOccurrences } from './getScheduleOccurrences.ts';
import { getSystemAlarms } from './getSystemAlarms.ts';
import { getSystemLicenses } from './getSystemLicenses.ts';
import { getTargetFolderById } from './getTargetFolderById.ts';
import { getTranscriptionAccount } from './getTranscriptionAccount.ts';
import { getTranscriptionAssetStatus } from './getTranscriptionAssetStatus.ts';
import { getTranscriptionCollections } from './getTranscriptionCollections.ts';
import { getTranscriptionConfig } from './getTranscriptionConfig.ts';
import { getTranscriptionTemplates } from './getTranscriptionTemplates.ts';
import { getUserById } from './getUserById.ts';
import { getUserProfile } from './getUserProfile.ts';
import { handOffToTranscription } from './handOffToTranscription.ts';
import { holdFleet } from './holdFleet.ts';
import { installLicense } from './installLicense.ts';
import { listApiTokens } from './listApiTokens.ts';
import { listAssets } from './listAssets.ts';
import { listDisplayLinks } from './listDisplayLinks.ts';
import { listJoinTokens } from './listJoinTokens.ts';
import { listPresets } from './listPresets.ts';
import { listScheduleSkips } from './listScheduleSkips.ts';
import { moveLivestream } from './moveLivestream.ts';
import { patchScheduleUntil } from './patchScheduleUntil.ts';
import { probeChannel } from './probeChannel.ts';
import { readAsset } from './readAsset.ts';
import { releaseFleet } from './releaseFleet.ts';
import { restoreSkip } from './restoreSkip.ts';
import { revealIngestKey } from './revealIngestKey.ts';
import { revokeApiToken } from './revokeApiToken.ts';
import { revokeDisplayLink } from './revokeDisplayLink.ts';
import { revokeJoinToken } from './revokeJoinToken.ts';
import { rotateIngestKey } from './rotateIngestKey.ts';
import { runtimeApplyBlackout } from './runtimeApplyBlackout.ts';
import { runtimeApplyLogo } from './runtimeApplyLogo.ts';
import { runtimeApplySourceSwitch } from './runtimeApplySourceSwitch.ts';
import { runtimePushMetadata } from './runtimePushMetadata.ts';
import { runtimeRecord } from './runtimeRecord.ts';
import { runtimeSetAdValues } from './runtimeSetAdValues.ts';
import { runtimeTogglePublishings } from './runtimeTogglePublishings.ts';
import { setLivestreamText } from './setLivestreamText.ts';
import { setUpBroadcast } from './setUpBroadcast.ts';
import { skipOccurrence } from './skipOccurrence.ts';
import { startLivestream } from './startLivestream.ts';
import { stopLivestream } from './stopLivestream.ts';
import { testMailRule } from './testMailRule.ts';
import { undrainDevice } from './undrainDevice.ts';
import { updateChannel } from './updateChannel.ts';
import { updateCloudAccount } from './updateCloudAccount.ts';
import { updateDevice } from './updateDevice.ts';
import { updateDeviceGroup } from './updateDeviceGroup.ts';
import { updateDrmProvider } from './updateDrmProvider.ts';
import { updateEncoding } from './updateEncoding.ts';
import { updateEncodingGroup } from './updateEncodingGroup.ts';
import { updateLivestream } from './updateLivestream.ts';
import { updateLivestreamOptions } from './updateLivestreamOptions.ts';
import { updateMailRule } from './updateMailRule.ts';
import { updatePlannedAction } from './updatePlannedAction.ts';
import { updatePublishing } from './updatePublishing.ts';
import { updatePublishingGroup } from './updatePublishingGroup.ts';
import { updateRemoteFolder } from './updateRemoteFolder.ts';
import { updateSchedule } from './updateSchedule.ts';
import { updateTargetFolder } from './updateTargetFolder.ts';
import { updateTranscriptionConfig } from './updateTranscriptionConfig.ts';
import { updateUser } from './updateUser.ts';
import { updateUserGroup } from './updateUserGroup.ts';
import { updateUserProfile } from './updateUserProfile.ts';
import { updateWall } from './updateWall.ts';
import { uploadAsset } from './uploadAsset.ts';
import { validateCloudAccount } from './validateCloudAccount.ts';
import { validateDrmProvider } from './validateDrmProvider.ts';
import { validateRemoteFolder } from './validateRemoteFolder.ts';
import { validateTargetFolder } from './validateTargetFolder.ts';

export const operations: readonly Tool[] = [
  acknowledgeEvent,
  acknowledgeRestore,
  addChannel,
  addCloudAccount,
  addDevice,
  addDrmProvider,
  addEncoding,
  addEncodingGroup,
  addLivestream,
  addLivestreamAction,
  addMailRule,
  addPublishing,
  addPublishingGroup,
  addRemoteFolder,
  addSchedule,
  addTargetFolder,
  addUser,
  addUserGroup,
  addWall,
  createApiToken,
  createClip,
  createDeviceGroup,
  createDisplayLink,
  createJoinToken,
  createPlaybackLink,
  createRecordingDownload,
  deleteAsset,
  deleteChannel,
  deleteCloudAccount,
  deleteDevice,
  deleteDeviceGroup,
  deleteDrmProvider,
  deleteEncoding,
  deleteEncodingGroup,
  deleteLivestream,
  deleteMailRule,
  deletePlannedAction,
  deletePublishing,
  deletePublishingGroup,
  deleteRecording,
  deleteRemoteFolder,
  deleteSchedule,
  deleteTargetFolder,
  deleteUser,
  deleteUserGroup,
  deleteWall,
  disablePlannedAction,
  downloadSystemInfo,
  drainDevice,
  enablePlannedAction,
  exportClip,
  getAllChannels,
  getAllCloudAccounts,
  getAllDeviceGroups,
  getAllDevices,
  getAllDrmProviders,
  getAllEncodingGroups,
  getAllEncodings,
  getAllEvents,
  getAllLivestreams,
  getAllMailRules,
  getAllPlannedActions,
  getAllPublishingGroups,
  getAllPublishings,
  getAllRemoteFolders,
  getAllSchedules,
  getAllTargetFolders,
  getAllUserGroups,
  getAllUsers,
  getAllWalls,
  getAuditLog,
  getChannelById,
  getChannelPreview,
  getCloudAccountById,
  getDeviceById,
  getDevicesLiveStatus,
  getDevicesStatus,
  getDrmProviderById,
  getEncodingById,
  getLivestreamActions,
  getLivestreamAudience,
  getLivestreamById,
  getLivestreamEnriched,
  getLivestreamEvents,
  getLivestreamPreview,
  getLivestreamStartConfig,
  getLivestreamStatus,
  getLivestreamsStatus,
  getMembers,
  getPlannedAction,
  getPublishingById,
  getRecording,
  getRecordingTracks,
  getRecordings,
  getRemoteFolderById,
  getRestore,
  getRunReport,
  getScheduleById,
  getScheduleOccurrences,
  getSystemAlarms,
  getSystemLicenses,
  getTargetFolderById,
  getTranscriptionAccount,
  getTranscriptionAssetStatus,
  getTranscriptionCollections,
  getTranscriptionConfig,
  getTranscriptionTemplates,
  getUserById,
  getUserProfile,
  handOffToTranscription,
  holdFleet,
  installLicense,
  listApiTokens,
  listAssets,
  listDisplayLinks,
  listJoinTokens,
  listPresets,
  listScheduleSkips,
  moveLivestream,
  patchScheduleUntil,
  probeChannel,
  readAsset,
  releaseFleet,
  restoreSkip,
  revealIngestKey,
  revokeApiToken,
  revokeDisplayLink,
  revokeJoinToken,
  rotateIngestKey,
  runtimeApplyBlackout,
  runtimeApplyLogo,
  runtimeApplySourceSwitch,
  runtimePushMetadata,
  runtimeRecord,
  runtimeSetAdValues,
  runtimeTogglePublishings,
  setLivestreamText,
  setUpBroadcast,
  skipOccurrence,
  startLivestream,
  stopLivestream,
  testMailRule,
  undrainDevice,
  updateChannel,
  updateCloudAccount,
  updateDevice,
  updateDeviceGroup,
  updateDrmProvider,
  updateEncoding,
  updateEncodingGroup,
  updateLivestream,
  updateLivestreamOptions,
  updateMailRule,
  updatePlannedAction,
  updatePublishing,
  updatePublishingGroup,
  updateRemoteFolder,
  updateSchedule,
  updateTargetFolder,
  updateTranscriptionConfig,
  updateUser,
  updateUserGroup,
  updateUserProfile,
  updateWall,
  uploadAsset,
  validateCloudAccount,
  validateDrmProvider,
  validateRemoteFolder,
  validateTargetFolder,
];
