/** Words of people who mean a field of a change on air, a plan or a Recording, with semicolons between phrases. See ../example-classes.ts. */
export const PROGRAMME_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Runtime options': {
    'mode filename': `
      go to black; show black; make it dark; black picture; dark screen; slate now; show the file in place of the programme;
      be right back clip; holding video on; end the black; back to live picture; cover the picture; black picture please;
      put the pause clip on; loop the break video; picture off; nobody should see this;
      show the intermission slide; hide what happens on stage; quick, hide it; hide that; we will be right back card;
      show the stage again; camera back; show them again; picture back please; put the slide up; cover it;
      something bad happens on stage; take us to the holding picture; intermission; pause screen; show the break slide;
      nobody must see this; we are back, show the picture; show nothing; end of break, picture; uncover; starting soon screen; go dark;
      standby picture on; lift the slate; film the stage again; privacy screen; hide the room; cover the camera; put the curtain up;
      blank it;
      take the picture away`,
    keepAudio: `
      black but keep the sound; hide the picture and let them hear it; picture away, sound goes on; black with audio; only sound for now;
      sound stays on while the picture is hidden; they may hear it but not see it; black but leave the organ playing;
      hide the picture, music goes on; dark picture with sound; cover the image but keep talking; only the picture away`,
    'logo.filename logo.position': `
      put up the logo now; logo away; logo off; logo to the bottom right; watermark now; change the logo on air; another logo;
      show the sponsor in the corner; bug on; bug off; logo top left; hide our emblem; move the logo; wrong logo is on; lose the logo;
      sponsor bug to the other corner; put the crest up; no more logo; bring the bug back; other logo now; emblem away;
      the logo covers the score, move it; show our brand; station id on`,
    channelId: `
      cut to camera two; switch the source on air; take the other camera; use the spare feed; go to the studio; camera three please;
      swap the camera; change the source of the running show; next camera; switch cameras; take the balcony camera; use the organ camera;
      lobby camera please; altar camera now; this camera died, take the other; go to the wide camera;
      show the stage camera; back to the main camera now; put the drone on; back to camera one; take the other line; jump to the studio;
      balcony cam please; main feed is dead, use the spare; the reserve line now; give us the drone; studio please; pulpit cam; cam 4;
      wide; close-up; to the reporter; over to the stadium; over to the weather studio; bring in the outside broadcast;
      go to the pre-recorded; cut; take two; next shot; other input; change camera; change the input now; camera 1;
      switch input to the laptop; go over to the backup camera; show the choir camera; live from the truck now; use the other mixer;
      the mixer crashed, take the camera directly; choir loft cam; organ cam; font camera; side aisle camera; cam two;
      camera at the back; next angle; bring camera five; the other feed;
      the second contribution instead`,
    'type metadata.name metadata.value metadata.duration metadata.id metadata.attributes': `
      ad break now; start a commercial break of 30 seconds; end the break; splice out; splice in; cue out; cue in; date range; tell players what song plays; insert scte 35; raw splice info section; timed metadata;
      end of the commercials; send a marker into the stream; now playing; artist and title for the players; roll the commercials;
      go to commercial for two minutes; network break; trigger the local ads; out for sixty; title of the song as metadata;
      go to commercial; ads; put the track title into the stream for radio players; song info; we are back from the commercials;
      advert now; run the adverts; commercials start; end of ads; start an ad pod; break now 90 seconds; splice insert;
      return from the ad break; programme starts marker; tag the stream; cue the affiliates; send cue; send scte; ad insertion now;
      announce a break; metadata for the player;
      id3 tag with the song title`,
    default_ad_duration: `
      how long a break lasts when nothing is said; usual length of commercials; standard ad length; breaks are 90 seconds by default;
      default ad time; normal length of a break; breaks take 90 seconds unless I say otherwise; how long are breaks as a rule`,
    max_ad_duration: `
      longest break; no commercial break over two minutes; cap the ads at three minutes; upper limit for breaks; maximum ad time;
      adverts must not exceed 90 seconds; no advert longer than two minutes; limit for commercials; breaks may be three minutes at most`,
    next_ad_duration: `
      the next break is one minute; length of the next ad break only; only the coming break is longer; next commercials last 45 seconds;
      the coming break takes 60 seconds; this next break only two minutes`,
    'publishings.primary publishings.backup publishings.publishingId': ` youtube off; turn one output off and leave the rest; turn the output on again; use the backup path;
      main path off; restart the output that failed; reconnect the cdn; pause twitch; send to facebook again;
      take vimeo down but nothing else; redundant path on; try that destination again; kick the facebook output; resume youtube;
      the youtube output hangs, restart it; no more twitch for today; only keep youtube on; disable an output while live;
      youtube is acting up, restart that leg; drop instagram for now but keep the others; only facebook off; turn that platform off;
      restart the push; stop the twitch leg; facebook flagged us, cut it there; resend to the cdn; the cdn does not get us, try again;
      backup leg on; second leg off; take the partner off; off on linkedin; stop only on youtube; bring the partner output up;
      switch to the backup url; one platform less; re-enable vimeo; temporarily no facebook;
      stop sending to facebook; cut off the second path; give us the other path; the reserve path please`,
    'text position size color': `
      write a line on the screen; headline about the storm; caption with a warning; welcome text at the bottom;
      let the screen say back soon; lower third; name of the speaker; text off; hide the text; yellow letters; bigger text;
      text at the top; clock on the picture; countdown; chronometer; banner with breaking news; crawl; hymn number on the picture;
      bible verse on screen; score on screen; change the wording of the caption; put the names of the couple at the bottom;
      say welcome on the picture; colour of the text on screen; smaller letters; move the text up; title of the talk;
      write starting soon; phone number for donations on the screen; show who is speaking; words at the bottom of the picture;
      message for the viewers on screen; red text; text should read; show the time on the picture; date and time on the image; name tag;
      name strap; put the name under her; name of the pastor below; wipe the caption; make the caption bigger; countdown to kickoff;
      scroll the phone number; running text; text gone; show the scripture; put john 3:16 up; write the website;
      move the caption to the top; caption in red; remove the line at the bottom; title card; credits; show a stopwatch; show a timer;
      time left on screen; show the temperature as text; write half-time; strap for the minister; subtitle with her name; chyron;
      kill the lower third; bible passage; announce the next song on screen; text saying we start at ten; change the text;
      wrong name on screen; name super; super for the bishop; supers off; subtitle line off; line with the name;
      name caption for the guest; put up the name; strapline; type the score; readout of the verse; write something; title for the guest;
      show the title of the talk; lower the text; text lower`,
  },
  'Planned actions': {
    'type payload execute_at': `
      do it at a set time; show the logo at quarter past eight; stop by itself at eleven; ad break at half time automatically;
      text at noon; switch the camera at nine by itself; plan a blackout; in ten minutes put the slide on; timer for the logo; automatic stop; remember to stop it at ten; end the stream at midnight; switch off facebook at nine;
      later change the logo; in half an hour stop; delayed command; at 20:00 switch the logo; text should vanish at noon;
      at half past nine go to black; ten minutes from now show the slide; at the hour put the text up; program a switch; automatic logo change; in twenty minutes cut to the studio;
      trigger the break at 20:30; let it end at ten by itself; at 9 pm end it;
      at 20:15 take the text away; take it off the air at midnight by itself`,
    'scheduleId at.from at.seconds': `
      at each occurrence of the schedule; ten minutes into every show; shortly ahead of the close of each service the text;
      an action that moves with the series; logo at the start of every weekly show; relative to the start; relative to the end;
      every sunday after the opening take the logo off; offset from the beginning of the show`,
    'livestreamId status from to': `
      which timers are set; pending commands; planned actions that failed; what will happen by itself; timed commands of tonight;
      what was done automatically; what is queued; anything automatic coming up; did the timer work; list of timed actions;
      what is programmed for tonight; run of show actions`,
  },
  Schedules: {
    'start end': `
      the show begins later; start half an hour earlier; runs longer tonight; end at noon instead; move the show to eleven;
      extend the broadcast by ten minutes; overrun; begin at nine instead of ten; we need another hour;
      the time of the weekly show has changed; different start time; finish earlier; push it back by 15 minutes; shift the show;
      overrun by 15 minutes; will be longer; an hour later; vespers begin at seven now; extend it;
      give us ten more minutes on the schedule; half an hour earlier; ends sooner; new time for the show; service starts at 9 instead;
      make tonight longer`,
    'recurrence.type recurrence.interval': `
      every sunday; each weekday; daily at seven; every two weeks; weekends only; monday to friday; repeat it every week;
      every other sunday; once a week; every day; fortnightly`,
    enabled: `
      pause the series; resume the weekly show; put the schedule on hold; nothing should start during the holidays;
      suspend the schedule for august; summer break; reactivate the series; pause over the summer; holidays, the series rests;
      no shows for now; take the series off for a while; stop the schedule for the moment; restart the series in september`,
    timezone: `
      time zone of the schedule; london time; the series is in new york time; daylight saving; utc instead of local time; clock change;
      wrong zone`,
    'idEncoderGroup livestreamId': `
      schedule on the studio encoders; plan another stream in this slot; let the schedule run on the pool`,
    'occurrence_start confirmStopLive': `
      no service next sunday; skip christmas; leave out one date; not this week; cancel tomorrow's show only; holiday, no broadcast;
      omit the 24th; drop next tuesday; this week we do not stream; call off tonight's broadcast; the rehearsal on friday falls out;
      next sunday is cancelled; no stream on easter monday; no mass on the 26th; we do not stream this friday; cancel only next week;
      not on new year; drop the one on monday; cancelled because of snow, only this sunday; no stream tomorrow;
      the concert on friday is cancelled`,
    skipId: `
      we do have the service after all; undo the skip; the show on tuesday takes place anyway;
      un-cancel sunday; there is a mass on the 26th after all; we will stream on friday after all; reinstate next sunday;
      the cancelled show takes place;
      put the cancelled date back; we play on that day after all, put it back`,
    'from to': `
      what is on this week; programme of next month; which shows were missed; next show; on tonight; broadcasts coming up;
      agenda for sunday; when do we stream next; what is planned for tomorrow;
      anything missed last night; what comes up; schedule of tomorrow; when are we on again; upcoming shows; what is next;
      list of planned broadcasts; calendar for december; did a planned show fail; upcoming occurrences; which broadcasts are planned;
      what have we got coming this weekend; shows between the first and the tenth`,
  },
  Recordings: {
    'in out mode trackId filename': ` clip from minute 12 to 14; short of the sermon; first ten minutes as a file; highlight; in and out point;
      exact cut; frame accurate cut; quick cut at keyframes; trim the recording; make a clip; a piece of the recording; make an excerpt;
      only the choir; cut the beginning off; save the best moment; last five minutes; extract the speech; snip the baptism;
      teaser of last night; from 00:32:10 to 00:35:00; thirty second trailer; cut the second half out; the solo as its own file;
      short version; only the first song; pull the interview out; save the penalty; bit where he speaks;
      part between ten and twelve minutes;
      cut out the goal`,
    segments: `
      several scenes in one file; join the three goals; highlights reel; best of the evening; put two pieces together;
      clip of several parts; string the songs together; leave the break out of the clip; compilation; all penalties as one video;
      minute 3 to 4 and minute 20 to 22 in one clip; cut the middle out and join the rest; summary of the match; montage`,
    expires_in: `
      download link; file of last sunday; mp4 on my laptop; give the couple the video; link to download that ends tomorrow;
      get the recording as a file; download the show; send me the video file; I need the mp4; save it on my computer;
      usb stick with the service; download yesterday; hand over the recording; the bride wants her video; save the service on a stick;
      how can the family get the video; copy of last sunday; I want to take the recording home; give me the file of the concert;
      parents want the recital; get the recording to my computer; download for the newspaper; link to the recorded talk;
      send the recording to a colleague`,
    part: `
      second part of the recording; recording in several files; part two of the download`,
    'livestreamId publishingId status from to': `
      recordings of this week; did it get recorded; recordings that failed; what is still being recorded; recordings of the choir;
      shows of last month on disk; was it recorded; find the recording; old recordings; footage from may; was the vigil taped;
      do we still have last easter; where is the tape of friday; which shows are recorded; all recordings of the gala;
      is there a recording; archive of the year; past services`,
  },
  runtimeRecord: {
    action: `
      start recording; stop recording; record now; record the stream from here; end the recording; stop the recording but stay on air;
      keep this part on disk; start a recording in the middle of the show; begin to record; record this; hit record; stop the tape;
      roll tape; finish the recording, the show goes on; press record; recording on; recording off; record the next song;
      capture the interview now; no need to record any more; pause the recording; record the rest of the match;
      stop the recorder but keep the stream running; start the recorder; start the archive recording now;
      is not being recorded, start it; record from here; stop taping; start archiving; tape this bit; keep this interview;
      get this on disk; roll; is it recording, start it; record only the sermon; start taking it down on disk; end of recording;
      cut the recording now; please record; begin archiving; save this to disk from now on; capture the rest`,
  },
  patchScheduleUntil: {
    until: `
      until easter; the series ends in june; no shows after christmas; last show on the 20th; series goes on for ever; end of the season;
      stop repeating; final date; run it until summer; the course ends next week; the last edition is on june 30;
      finish the series after next week; no more services from advent on; last time is on sunday`,
  },
  getRecording: {
    recordingId: `
      size of the recording; is the recording done; is it backed up; how long is it; details of the recording;
      when will the recording be deleted`,
  },
  getAllChannels: {
    type: `
      only the srt sources; all ndi inputs; list the sdi sources; cameras by rtsp; which file sources do we have`,
  },
  probeChannel: {
    channelId: `
      is obs sending; check the signal; measure the source; does the camera send; is there sound on the input; frame rate of the source;
      test the microphone level before the show; is the camera connected; sound check; is anything arriving from the truck;
      look at the incoming signal; how loud is the source; test the line before we start; does the feed come in;
      is there audio on the truck feed; is the feed 1080i or p; what comes in from the truck; does the phone reach us;
      is the key accepted, does anything come; check before the show; is camera 3 alive; what bitrate does the camera send;
      interlaced or progressive; test cam 2; look into the feed; is there a signal on input 2; does the rtsp camera work`,
  },
  revealIngestKey: {
    channelId: `
      what do I type into obs; reveal the key; show the whole push key; server and key for the phone app; ingest key in full;
      what goes into larix; settings for obs; key for the encoder; I need the key for vmix;
      the volunteer needs the server and key for obs; what is the push address; where do I point obs; what do I enter in streamlabs;
      url and key for larix; rtmp address and key for the drone; tell me the key of input 2`,
  },
  rotateIngestKey: {
    channelId: `
      new key for the ingest; the push key has leaked; somebody else sends to our input; exchange the key of the camera input;
      lock out the old sender`,
  },
  getChannelById: {
    channelId: `
      url of the camera; where is the camera pulled from; which address does the source have; port of the input; settings of the feed;
      how is the camera connected`,
  },
  getChannelPreview: {
    channelId: `
      picture of the camera before the show; what does the camera see; see the source; still of the input; quick look at cam 2;
      how is the camera framed; show me camera 2; what is on the truck feed, picture; image of the altar camera; is the lens cap on;
      let me see the balcony cam`,
  },
};
