/** What a Prometheus has scraped for twenty minutes, and what the panels of the dashboard show of it. */

const path = (state: string, isUp: boolean): [string, string] => [
  `onair_destination_state{livestream="1",publishing="2",path="primary",state="${state}"}`,
  `${Number(isUp)}x20`,
];

/** A Live stream on air whose one Destination is not up, one that has failed, and a Device. */
export const SHOWN: Readonly<Record<string, string>> = {
  'onair_livestream_info{livestream="1",name="Show"}': '1x20',
  'onair_livestream_info{livestream="2",name="Other"}': '1x20',
  'onair_device_info{device="1",name="encoder"}': '1x20',
  'onair_livestream_state{livestream="1",state="running"}': '1x20',
  'onair_livestream_state{livestream="1",state="starting"}': '0x20',
  'onair_livestream_state{livestream="1",state="failed"}': '0x20',
  'onair_livestream_state{livestream="2",state="running"}': '0x20',
  'onair_livestream_state{livestream="2",state="starting"}': '0x20',
  'onair_livestream_state{livestream="2",state="failed"}': '1x20',
  'onair_source_state{livestream="1",state="up"}': '0x20',
  'onair_source_state{livestream="1",state="lost"}': '1x20',
  ...Object.fromEntries([path('up', false), path('retrying', true)]),
  'onair_destination_enabled{livestream="1",publishing="2",path="primary"}': '1x20',
  'onair_destination_attempts{livestream="1",publishing="2",path="primary"}': '4x20',
  'onair_encoding_speed_ratio{livestream="1",encoding="3"}': '0.5x20',
  'onair_encoding_fps{livestream="1",encoding="3"}': '25x20',
  'onair_source_fps{livestream="1"}': '50x20',
  'onair_encoding_bits_per_second{livestream="1",encoding="3"}': '3000x20',
  'onair_source_bits_per_second{livestream="1"}': '5000x20',
  'onair_encoding_dropped_frames_total{livestream="1",encoding="3"}': '0+60x20',
  'onair_source_loudness_lufs{livestream="1",track="0",window="momentary"}': '-23x20',
  'onair_device_online{device="1"}': '1x20',
  'onair_device_enabled{device="1"}': '1x20',
  'onair_device_load_ratio{device="1"}': '0.5x20',
  'onair_device_reserved_cores{device="1"}': '2x20',
  'onair_livestream_cpu_cores{livestream="1"}': '1.5x20',
  'onair_device_disk_free_bytes{device="1"}': '70x20',
  onair_data_disk_free_bytes: '80x20',
  'onair_calls_total{operation="startLivestream",outcome="ok"}': '0+60x20',
  'onair_call_seconds_bucket{le="1"}': '0x20',
  'onair_call_seconds_bucket{le="+Inf"}': '0+60x20',
  nodejs_eventloop_delay_p99_seconds: '0.5x20',
  process_resident_memory_bytes: '100x20',
  process_cpu_seconds_total: '0+30x20',
  'onair_store_rows{collection="livestreams"}': '2x20',
};

/** The sum of what a target shows: `shared` whatever number of servers is scraped, `each` once for each of them. */
type Shown = { shared: number; each?: undefined } | { shared?: undefined; each: number };

export const PANEL_CASES: Readonly<Record<string, readonly Shown[]>> = {
  'On air': [{ shared: 1 }],
  Starting: [{ shared: 0 }],
  Failed: [{ shared: 1 }],
  'Sources lost': [{ shared: 1 }],
  'Paths that are enabled and not up': [{ shared: 1 }],
  'Devices that do not answer': [{ shared: 0 }],
  State: [{ shared: 2 }],
  Source: [{ shared: 1 }],
  'Speed of the encoders': [{ shared: 0.5 }],
  'Frames per second': [{ shared: 25 }, { shared: 50 }],
  'Bit rates': [{ shared: 3000 }, { shared: 5000 }],
  'Dropped frames': [{ shared: 300 }],
  'Loudness of the sources': [{ shared: -23 }],
  'Attempts of the paths': [{ shared: 4 }],
  Load: [{ shared: 0.5 }],
  'Cores: reserved and used': [{ shared: 2 }, { shared: 1.5 }],
  'Free space for media': [{ shared: 70 }, { each: 80 }],
  'Calls by outcome': [{ each: 1 }],
  'Duration of calls, 95 of 100': [{ shared: 1 }],
  'Event loop late, 99 of 100': [{ each: 0.5 }],
  'Memory and processor': [{ each: 100 }],
  'Processor time': [{ each: 0.5 }],
  'Rows of the store': [{ shared: 2 }],
};
