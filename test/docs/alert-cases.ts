/** One case for each alert: series under which it fires after `minutes`, and the same series while all is well. */
export interface AlertCase {
  /** Values by series, each for the whole time. */
  bad: Readonly<Record<string, string>>;
  good: Readonly<Record<string, string>>;
  minutes: number;
}

/** An alert about a server itself fires for each that has it. */
export const OF_SERVER = [
  'OnairStoreRefusesWrites',
  'OnairDatabaseAway',
  'OnairStoreConflicts',
  'OnairDataDiskNearlyFull',
  'OnairEventLoopLate',
];

const UP = 'up{job="onair"}';
const RUNNING = 'onair_livestream_state{livestream="1",state="running"}';
/** An alert on one series, whose value decides. */
const byValue = (series: string, bad: string, good: string, minutes = 1): AlertCase => ({
  bad: { [series]: bad },
  good: { [series]: good },
  minutes,
});
const path = (state: string): string =>
  `onair_destination_state{livestream="1",publishing="2",path="primary",state="${state}"}`;
const ENABLED = 'onair_destination_enabled{livestream="1",publishing="2",path="primary"}';

export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  OnairLivestreamFailed: byValue('onair_livestream_state{livestream="1",state="failed"}', '1x20', '0x20'),
  OnairStartTakesLong: byValue('onair_livestream_state{livestream="1",state="starting"}', '1x20', '1 0x20', 2),
  OnairSourceLost: byValue('onair_source_state{livestream="1",state="lost"}', '1x20', '0x20'),
  OnairDestinationFailed: {
    bad: { [path('failed')]: '1x20', [ENABLED]: '1x20' },
    good: { [path('failed')]: '1x20', [ENABLED]: '0x20' },
    minutes: 1,
  },
  OnairDestinationRetrying: byValue(path('retrying'), '1x20', '0 1 0 1 0 1 0x20', 2),
  OnairBroadcastFallsBehind: byValue('onair_livestream_condition{livestream="1",kind="behind"}', '1x20', '0x20'),
  OnairBadSource: byValue('onair_livestream_condition{livestream="1",kind="black"}', '1x20', '0x20'),
  OnairEncoderOverloaded: {
    bad: { 'onair_encoding_speed_ratio{livestream="1",encoding="3"}': '0.8x20', [RUNNING]: '1x20' },
    good: { 'onair_encoding_speed_ratio{livestream="1",encoding="3"}': '0.8x20', [RUNNING]: '0x20' },
    minutes: 1,
  },
  OnairFramesDropped: byValue(
    'onair_encoding_dropped_frames_total{livestream="1",encoding="3"}',
    '0+10x20',
    '0+1x20',
    10,
  ),
  OnairDeviceOffline: {
    bad: { 'onair_device_online{device="1"}': '0x20', 'onair_device_enabled{device="1"}': '1x20' },
    good: { 'onair_device_online{device="1"}': '0x20', 'onair_device_enabled{device="1"}': '0x20' },
    minutes: 1,
  },
  OnairDeviceFull: byValue('onair_device_load_ratio{device="1"}', '0.95x20', '0.5x20', 6),
  OnairStreamTakesMoreThanReserved: {
    bad: {
      'onair_livestream_cpu_cores{livestream="1"}': '2x20',
      'onair_livestream_reserved_cores{livestream="1"}': '1x20',
    },
    good: {
      'onair_livestream_cpu_cores{livestream="1"}': '1.2x20',
      'onair_livestream_reserved_cores{livestream="1"}': '1x20',
    },
    minutes: 6,
  },
  OnairDeviceDiskNearlyFull: {
    bad: {
      'onair_device_disk_free_bytes{device="1"}': '10e9x20',
      'onair_device_disk_size_bytes{device="1"}': '100e9x20',
    },
    good: {
      'onair_device_disk_free_bytes{device="1"}': '50e9x20',
      'onair_device_disk_size_bytes{device="1"}': '100e9x20',
    },
    minutes: 2,
  },
  OnairDown: { bad: { [UP]: '0x20' }, good: { 'onair_info{version="1"}': '1x20' }, minutes: 2 },
  OnairStoreRefusesWrites: byValue('onair_store_writable', '0x20', '1x20'),
  OnairStoreRestored: byValue('onair_store_restored', '1x20', '0x20'),
  OnairMemberDown: byValue('onair_member_up{member="a",name="one"}', '0x20', '1x20'),
  OnairMemberLags: byValue('onair_member_lag_commits{member="a",name="one"}', '2000x20', '3x20', 2),
  OnairDatabaseAway: byValue('onair_store_stale_seconds', '8x20', '0x20'),
  OnairDevicesChangeServers: byValue('onair_device_claims_total{device="1"}', '0+2x20', '0+1x20', 8),
  OnairStoreConflicts: {
    bad: { onair_store_conflicts_total: '0+6000x20', onair_store_commits_total: '0+6000x20' },
    good: { onair_store_conflicts_total: '0+600x20', onair_store_commits_total: '0+6000x20' },
    minutes: 12,
  },
  OnairStoreHasManyRows: byValue('onair_store_rows{collection="livestreams"}', '600000x20', '600x20', 6),
  OnairHistoryGrowsFast: byValue('onair_store_rows{collection="audit"}', '0+3000x70', '0+30x70', 65),
  OnairDataDiskNearlyFull: {
    bad: { onair_data_disk_free_bytes: '5e9x20', onair_data_disk_size_bytes: '100e9x20' },
    good: { onair_data_disk_free_bytes: '50e9x20', onair_data_disk_size_bytes: '100e9x20' },
    minutes: 2,
  },
  OnairAlarm: byValue('onair_alarm{check="mail",state="error"}', '1x20', '0x20', 6),
  OnairEventLoopLate: byValue('nodejs_eventloop_delay_p99_seconds', '0.5x20', '0.01x20', 6),
  OnairCallsFail: byValue('onair_calls_total{operation="startLivestream",outcome="internal"}', '0+60x20', '0+1x20', 12),
  OnairRateLimited: byValue('onair_rate_limited_calls_total{via="rest"}', '0+1x20', '5x20', 5),
};
