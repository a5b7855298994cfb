/** Words of people who mean a field of what a broadcast is made of: sources, qualities, Destinations. See ../example-classes.ts. */
export const SET_UP_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Channels: {
    'settings.url': `
      address of the camera; rtsp url of the camera; pull the stream from another server; the ip camera has a new address;
      hls feed as source; take in a multicast; udp input; rtp source; rtmp pull; url of the feed; stream url of the source;
      take the signal of another station; receive a transport stream; relay another stream; web stream as source;
      hook up the ip camera in the chapel; the camera url changed; new rtsp address; wire up the camera; connect the hall camera;
      surveillance camera as source; take a web radio as source; pull a feed; satellite receiver by udp; input from an url;
      camera has a new ip;
      take the multicast at an address; take in the multicast`,
    'settings.rist': `
      rist source; take in a rist feed; rist listener; receive rist from the truck; secret of the rist feed; rist with encryption;
      rist main profile; rist simple profile; buffer of the rist source; reliable udp from the stadium; resend lost packets of the feed`,
    'settings.recovery settings.buffer_ms settings.secret settings.key_bits': `
      udp-r with recovery; plain udp to the cloud; recover lost packets on the way to the cloud; secret of the udp-r feed;
      buffer of the udp-r cloud source; encrypt what goes to the cloud by udp`,
    'settings.transport': `
      rtsp over tcp; rtsp over udp; camera picture breaks up, use tcp; transport of the rtsp camera; force tcp;
      camera picture has artefacts, use tcp for rtsp; udp packets of the camera get lost`,
    'settings.program': `
      second program of the transport stream; mpts; choose the service in the multiplex; program number of the feed;
      which programme of the mux; pick the third service in the multiplex; other programme of the transponder;
      service id in the transport stream`,
    'settings.audiotrack': `
      which audio track of the feed is taken; use audio track 2 of the source; other sound of the feed;
      take the english sound of the source; audio pair 2 of the feed; second sound of the satellite`,
    'settings.filename settings.loop': `
      play a file; video file as source; loop the file; do not repeat the video; test video in a loop; prerecorded show as source;
      playout of a file; play the film once; file instead of a camera; run a pre-recorded service; endless loop of the trailer;
      repeat the video; put the trailer in a loop as an input; video as input; film from the library as source;
      stream a prerecorded sermon; mp4 as a source; loop a test pattern; play last week's show again as live; rerun`,
    'settings.mode': `
      srt caller; srt listener; let them call us; we call them by srt; who calls whom in srt; listen for srt; partner dials in by srt;
      switch to listener mode; wait for an srt call; accept the srt call from the truck; they dial in; the truck calls us; srt pull;
      srt push; be the caller`,
    'settings.host settings.port': `
      port of the listener; host of the srt sender; on which port do we listen; srt port; ip of the srt source; another port for the feed`,
    'settings.streamid': `
      srt stream id of the source; streamid of the listener; streamid for the incoming srt`,
    'settings.latency_ms': `
      srt latency of the source; more buffer for a bad line; longer receive buffer; the srt feed stutters, raise the latency;
      receive delay; buffer of the incoming feed; contribution over 4g breaks up, more buffer; the feed over 4g stutters;
      increase the srt latency; packet loss on the contribution; unstable line from the stadium; jitter on the incoming feed;
      latency of the stadium link`,
    'settings.passphrase settings.encryption': `
      passphrase of the srt source; encrypted contribution; aes 256 on the incoming feed; password of the srt feed;
      secret of the contribution; protect the incoming srt; the truck wants an encrypted line;
      passphrase for the link of the remote reporter; key for the incoming srt changed; passphrase has changed`,
    'settings.app settings.stream_key': `
      rtmp ingest; application name; stream key for obs; let the phone push to us; key of the input; ingest for larix;
      obs should send to us; push from the tricaster; receive rtmp; app name of the ingest; the reporter pushes from larix;
      let a phone send to us; receive from obs; ingest for the go pro; push from streamlabs; drone sends rtmp;
      volunteer streams from her phone; rtmp point for the school; accept rtmp; vmix pushes to us`,
    'settings.tls': `
      rtmps ingest; take in rtmps; obs over tls; encrypted rtmp push; the encoder must send encrypted; secure rtmp point; rtmp with a certificate;
      rtmps address for the phone; protect the push from the venue; tls for the ingest; push by rtmps; only encrypted encoders`,
    'settings.allowed_senders': `
      who may send to us; only accept the feed from our network; allow the sender by ip; whitelist of senders; cidr of the encoder;
      block other senders; restrict who can push; accept only the truck's address; restrict who can push into that input;
      only the truck may send; senders by address; lock the input to one ip`,
    'settings.cloudAccountId': `
      cloud source; source that is taken in by the cloud; ingest in the cloud; udp-r cloud`,
    'settings.deviceId settings.input': `
      sdi input; sdi 3; capture card input; aes ebu; decklink; which input of the card; hdmi over sdi; baseband; blackmagic card;
      second sdi port; digital audio input; capture card port; change the sdi port to 2; the camera sits on input four; card input;
      sdi camera in studio b; plugged into port three of the card`,
    'settings.ndi_hosts': `
      ndi in another network; ndi source that is not announced; address of the ndi machine; ndi without mdns; ndi across subnets;
      ndi from a routed network; ip of the ndi sender; where to ask for ndi sources`,
    'settings.audio_groups': `
      sixteen channels of the source; embedded audio groups; which channels are a track; channels 3 to 8 are the surround;
      5.1 of the ndi source; pairs of channels; audio layout of the input; split the channels into languages; group the sound channels`,
    'settings.source_name settings.discovery': `
      ndi source; ndi camera; vmix over ndi; name of the ndi source; find ndi sources; receive ndi; ndi from the laptop; take in ndi;
      take the ndi feed of the presentation laptop; ndi from the slides computer; ndi stream in our network as input; obs ndi; use ndi; ndi ptz camera as source;
      new ptz that speaks ndi`,
    'settings.video_id': `
      take in a youtube live; ingest a live video of a video site; video id of the live; restream somebody's youtube live;
      relay a youtube live broadcast`,
    'enabled deviceId': `
      stop listening for the encoder; disable the input; which device listens; let the truck machine listen; input may not be used;
      close the ingest`,
    'alias description name': `
      short label of the camera; rename the source; note about the input; camera gets another name`,
    width: `
      size of the camera thumbnail; source picture in full size`,
  },
  Encodings: {
    'settings_video.codec': `
      h265 instead of h264; hevc; av1; vp9; video codec; copy the video without encoding; passthrough; do not transcode; remux only;
      another codec; avc; no re-encoding; straight through; can we go hevc; leave the signal untouched; no transcoding; modern codec;
      switch to av1; h.265; just relay the picture; copy mode; original quality`,
    'settings_video.bitrate': `
      video bitrate; lower the bitrate to 3 megabit; 6 mbit; kilobits of the picture; better picture quality; less bandwidth;
      our upload is too slow, less bitrate; data rate; sharper picture; quality is too poor; kbps; make the 1080 rung 4.5 megabits;
      picture is blocky; pixel mush; the picture looks mushy, more bits; sharper; too much bandwidth; reduce the data rate; 8 megabit;
      use half the bandwidth; the video is too heavy`,
    'settings_video.width settings_video.height': `
      1080p; 720p; 4k; resolution; full hd; vertical video; portrait 1080 by 1920; square video; picture size; width and height;
      9:16 for phones; uhd; smaller picture size; for tiktok upright; 540p; portrait version; upright version; vertical for reels;
      smaller picture; make it full hd; hd is enough; 4k version; two versions, wide and tall; square for instagram;
      resolution down to 720; give me 9:16; make it 9:16; 1:1 picture; wide format; 1280 by 720; for portrait phones`,
    'settings_video.fps': `
      50 frames per second; frame rate; 25p; 60 fps; fps of the output; 30 frames; smoother motion; 29.97; half the frame rate;
      25 frames not 50; fifty pictures a second; motion stutters, more frames; cinema look 24; drop to 30 fps`,
    'settings_video.aspect_ratio': `
      aspect ratio; 16:9; 4:3; people look stretched; anamorphic; picture is squashed; wrong proportions; faces look fat;
      picture is distorted; everybody looks thin; old 4:3 camera looks wide`,
    'settings_video.deinterlace': `
      deinterlace; interlaced source; comb lines in the picture; 1080i; jagged edges when something moves; progressive;
      stripes on motion; fields; movement shows ugly lines; combing; the picture has teeth when people move;
      from interlaced to progressive; zigzag edges`,
    'settings_video.hdr_mode': `
      hdr; hdr10; hdr output; stream in hdr; hlg; high dynamic range; sdr only; pq; hdr10 output; hlg output; high dynamic range output`,
    'settings_video.hdr settings_video.hdr.max_cll settings_video.hdr.max_fall settings_video.hdr.mastering settings_video.hdr.mastering.primaries settings_video.hdr.mastering.max settings_video.hdr.mastering.min': `
      hdr metadata; maxcll; max cll and max fall; mastering display; content light level; mastering primaries p3;
      st 2086; static hdr metadata; peak brightness of the hdr output; nits of the mastering display; hdr10 metadata by hand`,
    'settings_video.encoder': `
      encode on the gpu; hardware encoder; nvenc; quick sync; vaapi; graphics card encodes; use the nvidia card; software encoder;
      let the gpu do the encoding; intel qsv; hardware acceleration; x264 or the graphics card; spare the processor by the card`,
    'settings_video.preset': `
      encoder preset; faster preset; veryfast; less cpu for the encoding; x264 preset; speed of the encoding; ultrafast;
      encoding takes too much processor; encoder eats too much cpu; faster preset; encoder cannot keep up, make it cheaper;
      less load per stream; better compression, slower preset`,
    'settings_video.h264.profile settings_video.h264.level settings_video.hevc.profile settings_video.hevc.level': `
      main profile; high profile level 4.1; baseline; h264 level; hevc profile; main 10; profile and level`,
    'settings_video.h264.keyframe_interval settings_video.hevc.keyframe_interval': `
      keyframe interval; gop length; keyframe every two seconds; i-frame distance; shorter gop; key frame interval; gop size;
      idr interval; youtube complains about keyframes; group of pictures; keyframes too far apart; twitch complains about keyframes;
      two second gop; keyframes every 2 s; more keyframes; i frames more often`,
    'settings_video.active settings_audio.active': `
      audio only; no picture, only sound; video without sound; radio stream; silent rendition; radio only; just sound, no video`,
    'settings_audio.codec': `
      audio codec; aac; opus; mp3; copy the sound; sound without transcoding`,
    'settings_audio.bitrate': `
      audio bitrate; 192 kbit sound; better sound quality; sound at 128k; kbit of the audio; hifi sound; music sounds bad, more bitrate;
      sound quality is awful; music sounds thin; better audio; 256k audio; audio bitrate up; sound like a telephone`,
    'settings_audio.channels': `
      mono; stereo; surround; surround in the stream; 5.1; 5.1 sound; six channels; 7.1; eight channels; mono sound is enough; number of audio channels;
      downmix to stereo; surround sound; stereo downmix; mono for speech; one channel only; sound only on the left, make it mono;
      6 channel audio; surround for home cinemas; both ears`,
    'settings_audio.sample_rate': `
      sample rate; 44.1 khz; 48 khz; samples per second; sampling frequency; 48000`,
    'elements quality_order': `
      adaptive bitrate; several qualities; ladder; quality for phones; drop a rung; order of the qualities; abr; multi bitrate;
      viewers with a bad connection; lower quality for slow internet; automatic quality; players begin with the lowest quality;
      let viewers pick 480p; people on trains need a smaller version; bad mobile connection; it stutters for people with slow internet;
      add a 480p version; viewers on phones; buffering at home, offer lower quality; another rung; more qualities to choose from`,
  },
  Publishings: {
    type: `
      rtmp output; srt output; hls output; dash; cmaf; record destination; sdi out; multicast into the house network; mpeg-ts over udp;
      enhanced rtmp; hevc over rtmp; stream to the tv sets in the building; send by srt to a partner; feed the projector by sdi;
      hls for the website; udp output; rtp output; iptv; transport stream out; output to a decoder;
      give the neighbour station our signal by srt; signal for the overflow room;
      hand it to a partner by srt; output for the overflow room; feed for the tvs in the building; deliver dash; mpeg dash;
      set top boxes; a recording of every show; record each show; srt to the tv station; give the tv station a feed;
      stream for our own website; hls address for the web team; send it out over sdi; out by sdi; feed the sdi monitor;
      sdi output for the hall;
      multicast to the hotel tvs`,
    'drm.active drm.provider_id drm.contentid drm.systems': `
      encrypt the output with drm; widevine; fairplay; playready; content id at the key server; protect the stream from copying; drm on;
      drm off; which drm systems; clear key; digital rights management; copy protection for the web stream;
      protect the feed with widevine; nobody may copy the stream; hollywood wants drm; encrypted playback`,
    'drm.encryption_mode': `
      cbcs; cenc; encryption mode; aes ctr or cbc; common encryption; sample aes`,
    'drm.rotation_minutes': `
      key rotation; rotate the content keys every hour; new keys during the broadcast; change the drm key every thirty minutes; crypto period;
      rotation of the widevine keys; the studio wants new keys every hour; how often the content key changes; keys by period`,
    'retry.max_attempts': `
      reconnect attempts; how often it tries again; retry for ever; number of retries; retry budget;
      do not give up so soon; keep trying; give up after three tries; stop trying after ten; endless retries;
      reconnect forever when the platform is down;
      try more often before giving up`,
    'retry.initial_delay_ms retry.max_delay_ms': `
      wait between retries; reconnect sooner; backoff; pause before it reconnects; longest wait between attempts;
      wait time before the next attempt; retry delay`,
    'primary_enabled backup_enabled': `
      main path of the output; backup path by default; output off by default; both paths; deliver twice; primary and backup entry point`,
    asset_id: `
      id in our catalogue; asset id of the outside archive; reference of the media asset management; mam id; id of the output in our cms`,
    access: `
      only people with a link; private output; not public; protect the stream by token; who may watch; make the stream public;
      token access; hide the stream from the public; watch by invitation; members only stream; restricted viewing; unlisted page;
      keep the programme private; only invited people; closed stream; no public access; not everybody may watch; lock the web stream;
      private broadcast; make it public again; token protected hls; share it privately; for the bereaved family only;
      stream for invited guests`,
    template: `
      youtube output; facebook output; twitch output; template of the platform; vimeo; linkedin live; tiktok; kick; output for x;
      stream to youtube; also go to facebook; simulcast to twitch; instagram; our facebook page; social media output; add youtube;
      go to linkedin too; also on youtube; new facebook destination; stream on x; kick channel; our second youtube channel;
      put us on vimeo; restream to tiktok; mirror the show on twitch`,
    'settings.url': `
      address of the output; new cdn address; push to our origin; rtmps address; where it is sent; destination url;
      server address of the platform; ingest address of the cdn; publish to akamai; push hls to an origin; send to our own server;
      another entry point`,
    'settings.backup_url': `
      second address of the output; backup ingest of youtube; redundant ingest; backup url; second copy to another entry point;
      push to two ingests; secondary server url; second entry point in case the first server dies; redundant push;
      spare server of the platform; backup entry of facebook; push to a and b`,
    'settings.username settings.password': `
      user name of the output; password of the wowza server; login of the cdn; credentials of the destination; rtmp authentication;
      publisher login; our cdn wants a username and password; password for the icecast of the partner; origin needs a login;
      authentication at the receiving server`,
    'settings.access_key settings.secret_key': `
      keys of the bucket that the segments go to; publish hls to s3; put the live stream into a bucket; origin on cloudflare r2;
      push segments to minio; new keys for the bucket of the output; s3 as origin`,
    'settings.segment_duration': `
      segment length; two second segments; chunk length; hls segment duration; segments of four seconds; shorter chunks; target duration;
      make the hls chunks shorter; chunks of two seconds; segment size; shorter segments`,
    'settings.playlist_length': `
      how many segments in the playlist; length of the playlist; number of chunks in the manifest; longer manifest; hls window size;
      playlist window`,
    'settings.time_shift_buffer_depth': `
      dvr window; rewind for viewers; viewers may go back two hours; seek back; time shift; watch from the beginning; pause live tv;
      scrub back; rewind the live stream; start over; catch up from the start; late viewers want to see the beginning;
      jump back in the live stream; go back half an hour; timeshift buffer; how far can viewers rewind; let people rewind;
      dvr for the audience; replay what they missed while live; people joining late should start from the beginning;
      start from the beginning; latecomers; watch what they missed; go back to the start of the service; pause button for viewers;
      rewind two hours; seek window; viewers cannot rewind; catch-up during the show; back to the first hymn;
      pause and go back; viewers should be able to go back`,
    'settings.low_latency': `
      low latency; less delay for viewers; ll-hls; viewers are 20 seconds behind; two seconds behind live; reduce the latency;
      the stream is too far behind; delay between stage and screen; closer to real time; lag for viewers; the web stream comes late;
      glass to glass; people at home clap too late; the web feed is 30 seconds late; can the stream be faster; too long behind;
      viewers shout goal later; near real time; quicker web stream; delay of half a minute, shorten it; sub-three-second delay;
      the hall is ahead of the web stream`,
    'settings.remotefolder': `
      back the recordings up to the nas; copy of the recording on the share before it is deleted; where recordings are backed up;
      archive recordings to nfs; recordings to the synology; copy every recording to the file server; off-site copy of the recordings;
      store a copy of each recording on our synology; recordings also to the nas; second copy of the recordings;
      archive every show on the share; where do recordings get copied`,
    'settings.delete_after': `
      keep recordings for 30 days; delete recordings automatically; retention; how long recordings are kept;
      recordings expire after two weeks; never delete the recordings; recordings older than a month go; retention period; auto delete;
      clean up old recordings by itself; keep the recordings longer; recordings should stay for a year; storage time of recordings;
      remove old recordings automatically; days until a recording is deleted; old recordings gone after a month;
      delete the tapes by itself after a year; only keep the last 60 days; recordings fill the disk, remove them after a while;
      automatically remove recordings; gdpr, recordings must go after 90 days; how long do we keep the shows;
      erase tapes after ninety days; recordings may be kept for a quarter; wipe recordings automatically;
      throw old recordings away by itself; purge recordings after a year; expire recordings; recordings self-destruct after a month`,
    'settings.container': `
      record as mp4; record as transport stream; file format of the recording; ts instead of mp4; container of the record;
      recording format; mp4 is no good, record ts; recordings as ts; file type of recordings; mpeg-ts recording; mkv instead of mp4`,
    'settings.stream_key': `
      stream key of the platform; youtube key; new key from twitch; key of the output; key of facebook; paste the stream key;
      streaming key`,
    'settings.srt.latency_ms': `
      srt latency of the output; latency to the partner; send buffer of srt; srt delay of the destination;
      more latency on the srt link to the partner; more buffering on the link to oslo; bigger srt buffer towards the partner;
      packet loss on the way to the partner`,
    'settings.srt.passphrase settings.srt.encryption': `
      passphrase of the srt output; encrypt the srt link to the partner; aes 256 on the output; secure srt delivery;
      the receiver in oslo wants a passphrase; encrypted link to the broadcaster; secure the srt to the partner`,
    'settings.rist': `
      rist output; deliver by rist; send rist to the partner; secret of the rist output; rist with aes 256; encrypted rist;
      rist profile of the destination; buffer of the rist output; reliable udp to the broadcaster; resend lost packets of the output`,
    'settings.srt.streamid': `
      stream id of the srt output; streamid that the receiver wants; srt publish id`,
    'elements confirmStopDestination': `
      add an output while live; take an output out of the group;
      another destination during the broadcast; remove vimeo from the outputs; group of outputs; send to several platforms at once;
      bundle youtube and facebook; also send it to linkedin while we are on; go live on a further platform in the middle of the show;
      multistream; put a destination into the group; simulcast set; all platforms together; live already, also go to twitch;
      can we add a platform now; bring facebook in without stopping; add a further output on the fly;
      put another platform on while we run; remove a platform from this show; one more destination please;
      add twitch to the running show`,
  },
};
