/** Topics that no operation serves and that belong to other programs and people. See absent.ts. */
import type { TopicText } from './absent-topic.ts';

export const TOPICS_ELSEWHERE: readonly TopicText[] = [
  {
    about: 'titles, pictures and posts on platforms and social networks',
    instead: 'they are changed on the platform itself; a Destination only delivers to it',
    nearest: ['getAllPublishings', 'listPresets'],
    requests: `
      youtube title; followers on tiktok; who follows us; change the title on youtube;
      thumbnail on youtube; cover picture of the video; set the video to private on youtube;
      facebook description; youtube description; youtube tags; youtube category; title of the twitch stream; twitch game category;
      create a youtube event; publish a post; tweet the link; share it on my wall; announce it on social media; hashtag; followers;
      likes and shares; story on instagram; influencers; subscribers of the channel; schedule a premiere; post on linkedin; tiktok video;
      share the stream on facebook; tell our followers that we are live; youtube shorts; monetise the video; content id claim;
      copyright strike; copyright claim; audience of the post; cross-post to a group; end screen; playlist on youtube; log in to youtube;
      connect my google account; verify my youtube channel; community tab; twitter announcement; delete the youtube video;
      raid another channel; promote the post; rename our youtube video; nicer thumbnail; unlisted on youtube; make it private on youtube;
      tweet that we are on; post it on facebook; tell people on instagram that we start; video description;
      share the link on social media; title of the youtube stream; pin the post; write the description; category;
      youtube playlist; tell everyone on whatsapp; youtube privacy; privacy of the video; set the video to public on youtube;
      change the category of the video; embed settings of youtube; publish to our vimeo showcase; vimeo showcase; youtube settings;
      who liked the video; change the game on twitch; channel trailer; verify the account at facebook; retweet; page admin on facebook;
      youtube account;
      upload the video to youtube afterwards; make the video unlisted; write a facebook post; change the title on youtube
    `,
  },
  {
    about: 'money: prices, invoices, tickets, subscriptions',
    nearest: ['getSystemLicenses'],
    requests: `
      refund; budget; how much money is left; costs of this show; invoice; what does it cost; how expensive is it; pricing; billing;
      pay the bill; credit card; payment method; donation button;
      price of an hour of streaming; costs of the month; collect the offering; cheaper plan; upgrade my plan; cancel my plan; free trial;
      tip jar; pay per view; paywall; sell access; ticket sales; subscription fee; subscribers pay; coupon code; revenue of the ads;
      earn money; ad revenue; discount; paypal; stripe; bank account; donations; fundraising; charge for access; sell dvds;
      membership fee; super chat; cdn costs; cost per viewer; currency; budget for streaming; tax report; merchandise shop;
      sponsor contract payment; bandwidth bill; cost estimate; ads from google; sell advertising; quote for a production; purchase order;
      what did last month cost; take donations; charge viewers 5 euros; ticket link; give button; how expensive; tithes; offering;
      payment; crowdfunding; price list; sponsor money; cost of streaming; charge; licence fee for music; gema; royalty free music;
      how much is it; pay; paid access; ad income; income from ads; pay wall; paying viewers; accept tithes online;
      collection plate; costs per hour; subscription price; billing address; expenses; profit; salary; fee; cost per stream;
      how much do we pay; how much did we spend; how much do we earn; how much did streaming cost
    `,
  },
  {
    about: 'cameras and their movements',
    nearest: ['getAllChannels', 'getChannelById'],
    requests: `
      zoom in; zoom out of the stage; pan and tilt; pan left; tilt the camera up; move the camera; focus the lens; autofocus;
      white balance; ptz preset; recall a camera position; ptz; camera preset; follow the speaker with the camera; auto tracking; visca;
      camera operator; point the camera at the altar; camera up a bit; exposure; iris; shutter speed; iso; colour of the camera;
      angle of the camera; tally light; tally; camera battery; drone take off; fly the drone; crane; gimbal; lens; aperture;
      turn the camera on; turn on camera two's power; switch off the camera; night mode of the camera; camera menu;
      colour temperature of the camera; wide angle lens; sd card of the camera; shade the cameras; nudge the camera;
      go to ptz position two; pull focus; camera presets; refocus; frame the speaker tighter; widen the shot; zoom; tilt;
      closer shot of the altar; follow her with the camera; swing left; picture is out of focus; camera exposure; sharpen the focus;
      the camera is too dark; open the iris; the picture is too orange; camera height; tilt up a touch; store this camera position;
      come in closer; tighter on the preacher; pull back wide; home position; zoom on the baby; steady the camera; level the camera;
      move the shot; track the preacher; adjust the colour of camera 2; black balance; iris two stops down; camera joystick
    `,
  },
  {
    about: 'lights, intercom and the floor',
    nearest: [],
    requests: `
      studio lights; dim the lights; house lights; spotlight; dmx; fog machine; intercom; talkback; talk to the cameraman; teleprompter;
      prompter script; prompter text faster; cue the presenter in his ear; ear piece; ifb; stage manager; on air sign in the hallway;
      red light outside; walkie talkie; projector on; screen in the hall down; heating; air conditioning; unlock the door;
      open the curtains; alarm system of the building; ring the bells; elevator; chairs; power socket; turn on the lights;
      confidence monitor; clicker; set design; microphone battery; warm it up in here; lock the church; bring the stage lights down;
      autocue; autocue faster; tell camera two to move; speak to the crew; headset; comms; blinds; lighting desk; light up the stage;
      spotlight on the singer; cue lights; walkie; hall speakers; turn the projector off; heat the church; turn the ac down; ac; air con;
      thermostat; candles; scroll the script for the reader; red light on camera one; director to the crew; open the door;
      loudspeakers in the hall; screen in the lobby on; switch the tv on; smart plug; blinds down; bell; ventilation
    `,
  },
  {
    about: 'mixing and processing of sound beyond gain, mute and delay',
    nearest: ['getChannelById', 'getAllEncodings'],
    requests: `
      background music; swap left and right; reverse the channels; equalizer; mixing desk; play a jingle; music bed; noise reduction;
      noise gate; remove the echo; hum filter; compressor; limiter settings; sound effects; applause sound; voice over; ducking;
      dub the voice; reverb; de-esser; bass and treble; more bass; mix two microphones; fade the music; phantom power; auto-tune; pitch;
      fade out the sound slowly; crossfade of the music; vst plugin; monitor mix; headphones; soundboard;
      laugh track; one microphone only quieter; dante routing; play a song; spotify; cancel the noise; background noise;
      whistle in the sound; feedback of the speakers; feedback whistle; stems; beat; choir mix; autotune;
      normalise to the standard of loudness; gate the presenter's mic; eq; eq the pulpit mic; de-ess; bed music under the interview;
      lower only the guitar; only the singer louder; balance between music and speech; mix the band; vocals up; take out the rumble;
      wind noise; denoise; add echo; fade in the music; sting; play music during the break; sound check of the band; monitor speaker;
      crackling; patch the microphone; stereo width; voice changer; play the intro music; applause; noise suppression for mic 2;
      bass boost; walk-in music; outro music; play the anthem; mic 2 only; one mic down; each microphone; tame the reverb; room echo;
      louder violin; mix minus; sub mix; aux send; feedback suppression; limiter; sidechain; filter the hiss; treble; tone of the voice;
      pan the sound to the left
    `,
  },
  {
    about: 'composing pictures: several sources at once, effects and colours',
    nearest: ['getLivestreamById', 'listAssets', 'getAllChannels'],
    requests: `
      green screen; picture in picture; pip; split screen; side by side; quad view; multiview; multiviewer; video wall; chroma key;
      virtual background; virtual set; blur the background; two cameras at once; camera in the corner of the slides;
      box layout; put two cameras next to each other; all cameras on one screen; pixelate a face; blur a face; transition effect;
      transition between cameras; crossfade; dissolve between scenes; stinger; scenes; scene collection; colour grading;
      colour correction; lut; brightness and contrast; saturation; black and white picture; sepia; beauty filter; make it brighter;
      picture is too dark; sharpen; remove the noise of the picture; rotate the image; horizon is crooked; straighten the picture;
      dissolve over two seconds; fade from one camera to the other; mix to camera two; rotate by 90 degrees; flip the picture;
      mirror the picture; upside down; slow motion replay; instant replay; replay the goal in slow motion; 3d graphics; virtual reality;
      vr headset; 360 degrees; 360 video; stabilise the picture; upscale with ai; frame interpolation; augmented reality; face filter;
      zoom into the picture digitally; vignette; keyer; preview and program bus; replace the background; chroma key the blue wall;
      two speakers side by side; slides big and the pastor small; mosaic of all inputs; soft fade between cameras; fade; mix;
      put the pastor in a box; three cameras in one picture; overlay a second camera; inset; camera over the slides; blue screen;
      cut out the speaker; colours look wrong; more contrast; 3d picture; picture is too blue; correct the colours; colour correct;
      old film look; turn the picture; make it black and white; slow-mo; super slow motion; instant replay of the goal; zoom effect;
      shake; portrait blur; animation between scenes; freeze the picture; hold the frame; put the host in the lower corner;
      presenter in a small window; small picture of the speaker in the corner; combine camera and slides; blend between shots;
      see all inputs at once; all inputs side by side; smooth transition; layer; compose a scene; layout with two windows;
      hide my messy office; frame around the picture; picture on picture; ken burns; cinematic look; lens flare;
      grid of all cameras
    `,
  },
  {
    about: 'graphics with templates, data, lyrics and slides',
    instead:
      'setLivestreamText shows one plain line, runtimeApplyLogo one picture; a graphics program or OBS in front of the Channel makes more',
    nearest: ['listAssets', 'getLivestreamById'],
    requests: `
      weather map; live data graphics; scoreboard from the league; scorebug with live data; scoreboard; stock ticker feed;
      animated lower third; graphics template; design a graphic; my own font; corporate font; upload a font; animated logo;
      spinning logo; rss ticker; news ticker from a feed; html overlay; browser source; web overlay; charts on screen; vizrt; caspar cg;
      song lyrics; lyrics on screen; propresenter; powerpoint slides; next slide; bring up a slide; show the presentation; slideshow;
      pdf on screen; bible software; hymn words from the song book; tweets on screen; graphics from a spreadsheet; title animation;
      election results graphics; subtitles from powerpoint; map animation; countdown animation; confetti; picture gallery; whiteboard;
      telestrator; draw on the picture; photo slideshow before the service; sports scorebug; scorebug that updates itself;
      titles from canva; psalm verses from the worship software; easyworship; openlp; worship slides; keynote slides; lyrics; karaoke;
      hymn slides; lower third template; design me a title; animated bug; moving graphics; after effects; make me a logo; design a logo;
      draw a logo; league table on screen; graphics package; opener animation; google slides; motion graphics; emoji on screen;
      show a chart; show a tweet; show a web page; show a pdf; info box; map on screen; photo of the speaker on screen with frame; font;
      league standings graphic; table of results; standings; infographic; song words; verses from the projection program; canva; titler;
      sponsors rotating; slideshow of sponsors; rolling credits from a file; sports graphics; player names from the line-up; data driven;
      race timing; live timing
    `,
  },
  {
    about: 'guests and calls',
    nearest: ['getAllChannels'],
    requests: `
      video call; let somebody join from a laptop; share my desktop in the show; invite link for guests;
      bring the mayor in from her laptop; panel guests join remotely; invite a guest; remote guest; guest by browser; video conference;
      zoom meeting; teams meeting; google meet; join the call; skype interview; green room; screen sharing; share my screen;
      capture my desktop; webinar registration; breakout room; phone in caller; phone call on air; telephone caller; call in; facetime;
      whatsapp call; bring in someone by phone; start a meeting; mute a participant; let the audience speak; dial in number;
      record a phone call; webex; attendees; lobby; co-host; interview by webcam; send the guest a link to join; connect zoom; jitsi;
      record my screen; host a webinar; participants list; let a caller on air; open a zoom room; show my desktop; start a webinar;
      guest from home; call in show; take calls; put the caller through; remote speaker joins;
      record a voicemail; conference call; hang up; mute a guest; waiting room for guests;
      share the powerpoint from my laptop; presenter from home; remote interview; bring in a caller; present from my laptop;
      skype the missionary; hand over the screen;
      interview by video call; video call with the missionary
    `,
  },
  {
    about: 'editing and publishing of videos afterwards',
    instead:
      'createClip cuts pieces out of a Recording, createRecordingDownload hands it out; an editing program and the platform do the rest',
    nearest: ['getRecordings', 'listAssets', 'getAllTargetFolders'],
    requests: `
      edit the video; video editor; timeline editor; chapter markers; chapters for the replay; intro and outro;
      add an intro to the recording; merge two videos; join two recordings; put two clips together; convert a file; transcode an mp4;
      compress the movie; change the format of a tape; burn a dvd; blu-ray; convert an avi; convert to mov; make a gif;
      speed up the video; time lapse; publish the replay on youtube; upload the recording to youtube; post the recording on vimeo;
      put last sunday on facebook; video on demand catalogue; vod page; playlist of old shows; poster frame design; podcast;
      make a podcast; rss feed of the sermons; spotify podcast; tags and categories; title of the recording; rename the recording;
      media library search; final cut; premiere project; edl; stitch the parts together; concatenate;
      remaster; watermark an old recording; undelete a recording; restore the deleted recording; glue both recordings together;
      one film out of two; chapter list; put the replay on vimeo; upload last sunday to youtube; convert this mov; re-encode a recording;
      crop an old recording; add titles to the recording; cut out the silence in the recording; trim the silences; publish on demand;
      make a dvd; burn a disc; film onto a disc; subtitles burnt into the recording; rename a recording; put the sermon on spotify;
      podcast of the sermon; make a trailer with music; add a voice over; rename the clip; sermon archive on our website;
      colour grade the recording; blooper reel; merge saturday and sunday; rip this dvd; put both parts together; digitise our tapes;
      film editing; export for premiere; make a compilation; sermon podcast; upload to our showcase; mp3 of the sermon on our site;
      compile a best of;
      add music to the recording
    `,
  },
  {
    about: 'analysis by artificial intelligence',
    nearest: ['getRecordings'],
    requests: `
      automatic highlights; summary of what was said; who said what; let the computer find highlights;
      let ai cut the best moments; find the best moments; face recognition; object detection; summarise the talk; copyright check;
      a b testing; recommendations; who is speaking in the video; recognise the song; detect the goals; count the people in the hall;
      sentiment; plagiarism; licence plates; automatic camera choice by ai; ai director; ai; key points of the sermon; action items;
      show notes; generate a title; write a description; suggest a thumbnail; recognise players; detect logos; nudity filter;
      bleep swear words; profanity filter; chatbot; speech analysis; music detection; deep fake; automatic cutting between cameras;
      tag the speakers; auto highlights; smart highlights; let the computer cut; transcribe who speaks; write a press release; chatgpt;
      detect swearing; automatic camera switching; auto director; recognise faces; tag people; sum it up; key quotes;
      bullet points of the sermon; ai subtitles; generate a thumbnail; generate a logo; pull the funniest moments automatically;
      best of by itself; let it find the goals; automatic best-of; funniest moments; smart crop by ai; ai voice; ask ai;
      highlight reel by ai; highlight reel with ai; rate the show
    `,
  },
  {
    about: 'translation, interpreting and reading aloud',
    nearest: ['getTranscriptionConfig', 'getTranscriptionTemplates'],
    requests: `
      sign language; check the spelling; spelling of the captions; correct typing errors; translate; translation into french;
      translate the subtitles; german subtitles from the english ones; interpreter; simultaneous translation; live translation;
      audio description; spell check; live captions; live captions in chinese; automatic captions while we are live; dubbing;
      language detection; read the text aloud; text to speech voice; synthetic voice; screen voice; translate the talk; voice clone;
      dub into english; stenographer; human captioner; braille; type live subtitles; real-time captions;
      captions for the live stream by ai; respeaking; interpretation channel; easy language; auto translate; gebärdensprache;
      computer voice; correct the subtitles; edit the transcript; interpreter window; voice over in german;
      live subtitles; live captioning; auto captions on the live stream; captions right now while we are live; translate what he says;
      translate her speech; subtitles in three languages live; signer; simultaneous interpreter; caption the live show; read it out loud;
      audio translation; polish live captions; captions in polish now; add a signer; simultaneous french; subtitles while live;
      live subtitles for the deaf; translated audio; bilingual captions; automatic subtitles live;
      spanish subtitles live
    `,
  },
  {
    about: 'protocols that are neither taken in nor delivered by',
    instead: 'docs/manual.md has the types of Channels and Destinations',
    nearest: ['getAllPublishings', 'getAllChannels', 'listPresets'],
    requests: `
      webrtc; whip; whep; webrtc output; publish over webrtc; ultra low latency by webrtc; ndi output; send out as ndi; programme as ndi;
      ndi out; zixi; st 2110; smpte 2110; dante; hdmi output; hdmi monitor of the encoder; virtual camera; output as a webcam;
      atsc modulator; dvb-t modulator; icecast; shoutcast; fm transmitter; radio transmitter; bonding of modems; jpeg xs; moq;
      media over quic; mss smooth streaming; peer to peer delivery; multicast abr; send to a satellite uplink; dvb-s; coax; fax;
      analog output; composite video; vhs; record to prores; mxf; record with the alpha channel; aes67; madi; usb webcam as source;
      capture a window; thunderbolt; bluetooth; fire wire; ndi feed out; ndi out to the foyer; a webrtc output; give the foyer an ndi;
      programme on ndi; send ndi; make it available as ndi; hdmi out; sdi over ip; webrtc for the control room; whip ingest;
      browser contribution; rtsp server; restream by rtsp; sip; voip; aux output; vga; airplay out; dab; fm; output to a webcam;
      teams as an output; send it into zoom; radio automation; offer it via whep; ndi for the lobby screens; ndi out for the foyer;
      ndi for the projector; send the programme by ndi; give obs an ndi of it; make a virtual webcam; output to zoom; webrtc playback
    `,
  },
  {
    about: 'networks and other devices',
    nearest: ['getDevicesStatus'],
    requests: `
      wifi password; which dns server; gateway; subnet; wlan; router; dhcp; dns record; vlan; firewall rule; open a port;
      port forwarding; vpn; speed test; faster internet; traceroute; ntp; upload speed; ping the router; network switch; static ip;
      ip address settings; 5g modem; sim card; bandwidth of our line; internet is slow; ethernet cable; mac address; quality of service;
      unifi; printer; print labels; my phone; my laptop; backup my phone; buy a new machine; order hardware;
      spare part; warranty; buy microphones; recommend a camera to buy; rent equipment; hdmi cable; tripod; which laptop should I buy;
      usb hub; power supply; hard disk to buy; repair the camera; screen is broken; keyboard; scan for viruses; starlink; load balancer;
      buy a capture card; change dns; what is the wifi code; internet line fast enough; upload speed test; fix my laptop; printer jam;
      my computer is slow; phone is empty; which cable; is the internet down; router restart; guest wifi; measure the bandwidth;
      network diagram; buy cables; new tripod; order a capture card; firewall; bandwidth test; latency to the internet;
      file permissions; ethernet settings; ethernet; order more cables; photocopier; cable; wifi for guests; set up the router;
      network card; is our internet good enough; mobile hotspot;
      order a new camera; order a new encoder; buy an encoder; static ip for the encoder
    `,
  },
  {
    about: 'people, rooms and dates outside the program',
    instead: 'a Schedule plans when a Live stream is on air, and nothing else',
    nearest: ['getScheduleOccurrences'],
    requests: `
      google calendar; outlook calendar; ical feed; sync with my calendar; doctor appointment; meeting with the bishop; shift plan of the crew; who is working on sunday; duty roster; find a substitute; book a van; rent a van;
      parking space; hotel room; flight; train tickets; taxi; catering; costume; makeup artist; crew call sheet; working hours;
      pay the crew; vacation days; job advert; volunteer sign-up sheet; book the choir; room booking; contact list;
      phone number of the pastor; birthday list; time sheet; planning poker; guest list; print the rota; who is on shift tomorrow;
      hire a van; send flowers; book a room; find a speaker; phone list; call the sound man;
      who works tonight; book the hall for a wedding; roster; car; babysitter; staff planning; run sheet for print; print the programme;
      printing; book the organist; organist; fix the photocopier; sexton; janitor; book a speaker; book a caterer; rostered;
      who plays tonight; invite the choir; church calendar; appointment; babysitting; carpool; cleaning plan;
      hire a camera operator; remind the presenter
    `,
  },
  {
    about: 'anything but broadcasts',
    nearest: [],
    requests: `
      pizza; undo my last change; redo; coffee for everybody; lunch; weather; will it rain; weather tomorrow; joke; poem; recipe;
      news headlines; who won the election; capital of france; stock price; calculate; what is two plus two; write an essay;
      write the sermon; write the script; play a game; horoscope; traffic jam; shopping list; homework; birthday present; play solitaire;
      set an alarm clock; alarm for six; cook; football results; who is the president; sing a song; tell me a story; movie tonight;
      fire department; ambulance; police; buy flowers; plan my vacation; script for the episode; spreadsheet; write an email;
      bible quote for today; bible verse of the day; define a word; unit conversion; exchange rate; bitcoin; diet; fitness; love letter;
      crossword; chess; dating; cat pictures; translate hello; write python code; draw a picture; generate an image; meaning of life;
      order food; restaurant nearby; navigate home; lottery numbers; medical advice; legal advice; my taxes; call my mother;
      rain tomorrow; who won the league; pizza for six; make tea; piano tuning; tune a piano; how do I cook; football scores;
      latest news; a riddle; write a speech; write a letter; fortune; egg timer; capital city; what is love; dinner; wine;
      weather forecast; temperature outside; bake; game; movie; song; prayer for today; who wrote this hymn; jokes; tell me about rome;
      train times; translate this word; how old is the pope; bus; cheap flights; gym; my horoscope; compose a hymn; write a song;
      bake a cake; pray for me; what day is easter; wish her a happy birthday; who is the bishop; read me the gospel; meaning of a word;
      clean the house; water the plants; find my keys
    `,
  },
];
