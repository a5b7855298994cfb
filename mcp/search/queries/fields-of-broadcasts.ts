/** Words of people who mean a field of a Live stream, with semicolons between phrases. See ../example-classes.ts. */
export const BROADCAST_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Walls: {
    'layout others': `
      sixteen tiles on one screen; two by two; three by three; five by five; how many tiles fit on the wall; one big picture on the wall;
      all other streams behind them; everything on one wall`,
  },
  'Live streams': {
    'sound.gain_db': `
      volume; gain; decibels; turn the sound up; turn the sound down; louder please; softer; quieter; it is too loud;
      the sound is too quiet; raise the audio level by 3 dB; lower the level; boost the voice; attenuate by 6 dB;
      audio gain of the programme; turn it down a bit; nobody can hear the pastor, make it louder; the music is way too loud;
      increase loudness; more volume; bring the audio down; speech is too faint; adjust the volume; volume of the stream;
      level of the sound; minus ten decibel; pump up the volume; viewers can barely hear us; it is blasting; make the sound stronger;
      the sermon is hard to hear; set the gain to zero; drowning out; bring the programme down 4 dB; audio is clipping;
      distorted because it is too loud; overdriven; the sound overloads; hardly audible; turn up the volume; a touch louder;
      way too quiet at home; our audio is low; audio too hot; trim the audio by 2 dB; master volume; half as loud; louder sermon;
      whisper quiet; the presenter is too quiet on the stream; peaks are too high; viewers complain that it is too quiet; boost;
      push the levels a bit; levels up; levels down; a little more level; nudge the volume; increase the level;
      lower the volume a little; speech louder; raise it by two decibels; our sound is weak`,
    'sound.mute': `
      mute; mute the microphone; mute the mic; mute the audio; mute the sound for now; unmute; sound off; sound on;
      no sound should go out; silence the stream; silence the programme; turn the microphone off; cut the audio but keep the picture;
      picture without sound; switch the audio off; let nobody hear us; bring the sound back; give us sound again; audio off please;
      kill the sound; mute everything; they should not hear this; shut off the mics; is it muted; unmute it;
      nobody hears anything, unmute; sound please off; silence; turn the sound off for the prayer; cut the sound; audio mute;
      no audio for a minute; mics off; turn sound back on; switch the sound on again; stop the sound, leave the picture; hush;
      take the audio out; mics open again; open the microphones; close the mics; switch the microphones off; audio back on;
      mute the stream; mute the sound for a moment; silence the programme for a minute`,
    'sound.delay_ms': `
      audio delay; delay the sound by 80 ms; lip sync; lips and voice do not match; voice comes before the picture;
      sound is ahead of the picture; sound is late; audio is out of sync with the video; shift the audio by two frames;
      sound offset in milliseconds; audio sync; sound lags behind; make the audio later; make the audio earlier; advance the sound;
      mouth moves before the words; sync audio and video; av sync offset; picture lags the sound; shift audio later;
      the sound arrives before the image; a/v sync; audio leads by two frames; voice and mouth; sound delay;
      sync problem between sound and picture; offset of the audio; sound is half a second off; hold the audio back;
      audio is 200 ms early; lip-sync`,
    'crop.left crop.right crop.top crop.bottom': `
      crop; cut off the edges; trim the left side of the picture; cut the black bars; take five per cent off the top; crop the bottom;
      letterbox away; pillarbox away; hide the edge of the picture; the border of the image must go; trim the frame; narrower picture;
      there is a tripod at the right edge, cut it away; remove the black stripes; shave the sides of the image; thick black borders;
      cut the stripes; black edges left and right, get rid of them; the picture has a border, remove it; crop the ceiling;
      crop out the monitor at the bottom; less of the edge; hide the ugly edge; only the middle of the picture; safe area;
      cut off ten pixels; lop off a strip; the tripod is visible at the edge, cut it; strip on the left away; slice off the top;
      shave off the right; cut the timecode strip off the picture`,
    'fallback.mode fallback.filename': `
      what viewers get while the source is lost; fallback picture; fallback slate; slate when the camera fails;
      file when the signal is lost; show a holding video if the feed drops; what is shown when the camera dies; emergency picture;
      placeholder when there is no signal; nothing but black when the source is gone; card for signal loss;
      backup clip when the line breaks; what do people see when the camera cuts out; play a loop while the source is away;
      standby picture on signal loss; freeze or slate on loss of source; if the line dies put up a video; emergency video;
      what do they see when the feed is lost; show a card when we lose the camera; picture for an outage;
      test card when there is no input; standby when the contribution breaks down; if the internet dies show our slide;
      in case the camera is unplugged; automatic slate; show our logo screen when the signal goes`,
    'failover.on failover.after_seconds failover.return failover.return_after_seconds': `
      automatic failover; when does the backup take over; switch to the backup by itself when the camera is black;
      fail over after three seconds; go back by itself when the main feed is good; return to the main source by hand only;
      stay on the backup; hold on the spare; take the second camera automatically if the first freezes; how long until it fails over;
      failover on silence; wait ten seconds before it returns; switch over to the spare automatically;
      jump to the reserve camera when the picture is frozen; come back only when I say so; revert automatically;
      when camera a goes black take b on its own; use the backup by itself; automatic changeover; switch over when it is silent;
      take the backup feed when the main fails; do not jump back by itself; return to main after a minute; seamless failover;
      redundancy of the source; hot standby source; automatic switch to the second camera; if the main feed dies take the second;
      failover rules; go over to the backup by itself`,
    'format points': `
      report as a page to print; printable report of the show; report as markdown; report in html; report with curves;
      curves of rates and loudness of the run; graph of the bitrate during yesterday's show; loudness curve of the broadcast;
      a value a second of the whole run; chart of the encoding speed last night`,
    backupChannelId: `
      backup source of the stream; backup camera; second source in case the first dies; spare feed for this broadcast; redundant source;
      which channel takes over; reserve camera for the show; use the hall camera as backup; standby feed; fallback camera; plan B camera`,
    'detect.silence.level_db detect.silence.seconds': `
      watch for silence; detect silence; silence detection; when is it counted as silent; threshold of silence in dBFS;
      log when there is no sound for ten seconds; silence threshold; sensitivity for silence; anything quieter than minus 50 is silence;
      dead air detection; event when the sound is gone; log dead air; dead air longer than 15 seconds; when does it count as dead air;
      tell in the log when it is silent; alarm level for silence; set the silence threshold; silence watchdog`,
    'detect.black.seconds': `
      detect a black picture; black detection; log when it is black for five seconds; watch for black; notice black frames;
      how long may it be black; black frames for longer than a few seconds; notice when the camera is capped; black watchdog`,
    'detect.frozen.seconds': `
      detect a frozen picture; freeze detection; notice when the image stands still; watch for a still picture;
      log when the picture hangs; stuck picture detection; notice a hanging camera; the picture stands still, when is that an event;
      frozen watchdog; stuck frame`,
    'alarms.silence_seconds alarms.black_seconds alarms.frozen_seconds alarms.lost_seconds': `
      alarm after so many seconds of silence; tell me only when it is black for twenty seconds; alarm thresholds of this stream;
      do not watch this stream for frozen pictures; raise the alarm when the source is gone for ten seconds; no alarm for black here;
      switch the silence alarm off; how long until it counts as an alarm; alarm limits; less sensitive alarms;
      no alarm when the camera is off for a moment; alarm when there is no source`,
    scteMarkers: `
      keep the scte 35 markers of the source; pass cue points through; preserve ad markers; strip the scte markers;
      ad markers of the feed go on to the outputs; passthrough of splice points; leave the cue tones in; remove the markers of the feed;
      strip the ad markers of the network feed; ad markers from the source; let the affiliate cues through; keep cue messages;
      remove cues of the incoming feed; scte from upstream`,
    'logo.filename logo.position': `
      logo for every show of this stream; permanent watermark; always show our logo; default logo; standing bug;
      logo from the next start on; logo for the whole season; keep the logo for all later starts; watermark by default`,
    'overlay.text overlay.position overlay.size overlay.color overlay.visible': `
      standing text over the picture; permanent caption; default overlay text; text for every show; always show the clock in the corner;
      size of the standing text; colour of the overlay; bigger letters of the overlay; text from the next start on; overlay font size;
      place of the overlay; burnt in timecode on every show; caption that is always there; overlay visible or not;
      clock in the corner for every show; standing line with our web address; always show the date; default caption size;
      text that stays for the whole season`,
    'audio.track audio.language audio.name audio.default': `
      audio tracks for viewers to choose from; languages of the sound; english and german sound;
      commentary in two languages; name of a sound track in the menu of players; which audio track is the default;
      stereo pair of the source as another language; multi language audio; original sound and translation track;
      viewers choose the language of the sound; add a french sound track; clean sound as a second track; language menu of the player;
      label the audio tracks; track two is spanish; floor sound and english commentary; let people choose the sound;
      commentary or stadium sound; second audio for the interpreter; dual language; bilingual stream; two sound tracks for viewers;
      audio language selection; pick the audio language; default language of the sound; dolby track; alternative audio;
      map the audio channels; interpreter audio from the desk as a second track;
      second language on the stream`,
    'captions.webvtt': `
      webvtt; captions of the source as webvtt tracks; closed captions for players; cea 608 to webvtt; pass the captions on;
      turn the captions of the feed off; subtitles of the feed in the player; cc in the web player; cea 708 captions;
      hearing impaired viewers should see the captions from our feed; cc from our feed; closed captions on or off;
      deliver the captions that the feed brings; show the captions of the satellite feed; 608 captions;
      captions for the deaf from the source`,
    backupDeviceId: `
      backup device of a pushed source; second device that listens for the encoder; the encoder pushes to two machines; second server for obs;
      backup ingest machine; where a pushed broadcast goes on when its device dies; listen for obs on another device too;
      spare encoder machine for our rtmp push; push to a second address; take the second machine away again`,
    onDeviceLoss: `
      go on at another machine when the encoder dies; move the broadcast when its device is lost; survive the death of a device;
      restart elsewhere if the encoder machine loses power; automatic failover to another encoder; keep it on air when the server room burns;
      what happens when the device dies; take another device by itself when this one is gone; stay where it is when the device is silent`,
    startWithoutSource: `
      start without a source; go on air although the camera is not there yet; start with the slate and let the camera come later;
      begin before the feed arrives; start even if the encoder is not sending; on air with the fallback until the signal comes;
      refuse the start when there is no signal; go live before the camera is plugged in; start although nothing comes in yet;
      the camera team is late, start anyway; on air with the slate first; start without camera;
      open the stream before the signal is there; begin with the holding picture until the camera comes`,
    tags: `
      tags of a broadcast; tag the stream with sport; label the streams of the morning show; put the stream into a group of mine;
      remove the tag; categories of streams; keyword of a broadcast; mark it as belonging to the festival; all streams of studio 1;
      give the stream the label news; group the broadcasts by customer; tag it`,
    priority: `
      priority of the broadcast; which show comes back first after an encoder has failed; this one is the most important stream;
      bring the news back before all others; the test channel may come back last; give the final the highest priority; priority 9;
      order in which the streams return after a loss; this show goes first when a machine dies; unimportant stream, move it last`,
    'enabled description': `
      lock a stream so that nobody can start it; block the stream from being started; make the event startable again;
      disable this broadcast; enable this broadcast; this stream must not be started; put a note on the stream; description of the event;
      nobody may start this one; forbid the start of the old show; put the stream out of use; archive the stream so it cannot go live`,
    'deviceId idEncoderGroup': `
      pin the stream to an encoder; always run on the truck encoder; tie the broadcast to a machine; run on a pool of encoders;
      let it run anywhere; which device this stream shall run on; bind the event to encoder 2; unpin it from the machine;
      assign a group of encoders to the stream; this show must always use box two; assign it to the studio encoder;
      which machine shall it run on from now on; move the event to the other encoder; always on the same machine`,
    'channelId encodingId encodingGroupId publishingId publishingGroupId': `
      give the stream another source; bind another encoding; bind a ladder; use other outputs for this stream;
      attach the destination group to the event; which camera the stream uses from now on; assign an output to the stream;
      change what the broadcast is made of`,
    'address content_base64 ingest url record': `
      set up a whole broadcast; stream this file; make a stream from this address; everything in one step; from nothing to on air;
      set up and record it as well; listen for OBS and stream to youtube; new broadcast from my phone to facebook; just get me live;
      create all I need to stream; stream a video that I send you; I want to start streaming and have nothing yet; first stream;
      get me on youtube from obs; I have never done this; get my video on youtube live; as simply as possible; from obs to twitch;
      help me start my first stream; simple way to go live from my phone; all in one; one step from camera to facebook;
      set everything up for me; I have obs and a youtube key; make it all for me; beginner; easy set up;
      I only have a camera address;
      put this film on the air`,
    'start_at end_at recurrence timezone': `
      set up a broadcast that starts by itself on sunday; new stream every week from this address at ten`,
    'quality template stream_key': `
      set up a stream to twitch in 720p with my key; go to youtube in 1080p with this key, nothing is set up yet`,
    expires_in: `
      link to watch that expires; private viewing link; watch link for the family; share a link with the parents;
      viewers without an account; how long the watch link is good; secret link to the stream; link only for invited people;
      give my boss a link to watch; let grandma watch the private stream; link for the press; let someone watch without a login;
      ticketless link for members; grandma has no account, how can she watch; she wants to watch but cannot log in;
      link that dies on monday; closed group of viewers; funeral for the family only, give them a link; unlisted link to the stream;
      watch link with an end; preview for the client; private screening; link for the board; secure link to view;
      link for viewers of the private stream`,
    'startConfig.primary startConfig.backup startConfig.qualities startConfig.publishingId': `
      start without facebook; start with youtube only; start but leave one output off; go live on the backup path too;
      start only the 720p quality; begin with these destinations; start it to the website alone; start with fewer qualities;
      leave twitch out of this start; begin streaming but not to facebook; start with everything but youtube; start on the backup only;
      go live to twitch alone; start it without recording`,
    cloudAccountId: `
      start it in the cloud; run this one on the cloud platform; start on the cloud account; wait longer for the start`,
    'kind severity from to': `
      how many dropouts were there; only the errors; warnings of the last hour; failovers since yesterday;
      what went wrong between nine and ten; errors since midnight; when was the sound gone; all disconnects of last week;
      when did it freeze; incidents of this morning; was the camera lost; how often did the encoder restart; error log;
      what happened while I was away; when exactly did the picture freeze; how many times did we fall back; what happened at lunch;
      when did the encoder crash; list the failures of the night; what was the problem at ten; show me the failovers; did we go down;
      was there a gap; reason for the interruption; how long were we off; when did sound disappear; timeline of the outage;
      did youtube drop us; did any show fail; which starts failed; how come we lost the picture; how come it stopped;
      video was gone at nine, why; lost video; reason why it broke off; overnight faults; faults since yesterday;
      explain the black at ten; what went wrong`,
    'status includeDestinations includeChannel': `
      how many streams do we have; streams that failed; which are starting; list of streams with their outputs;
      streams with their cameras; which streams use this camera; which streams go to facebook; where is this encoding used;
      streams that are off; which broadcasts are pinned to this encoder; which events are broken; which shows use the balcony camera;
      everything that is configured; streams that are starting`,
    width: `
      bigger screenshot; preview picture in full size; small thumbnail of what goes out; still of the programme 320 pixels wide`,
  },
};
