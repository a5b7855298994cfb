import { splitQueries } from './split-queries.ts';

/**
 * Topics that people ask for and no operation serves, each with the reads that are nearest in purpose. The classifier learns them beside the
 * example queries of the tools, so that the answer to a query which is likest to one of them says that there is no such thing.
 */
export interface AbsentTopic {
  /** The topic in words for people. */
  about: string;
  nearest: readonly string[];
  requests: readonly string[];
}

const TOPICS: readonly (Omit<AbsentTopic, 'requests'> & { requests: string })[] = [
  {
    about: 'numbers of viewers and their behaviour',
    nearest: ['getLivestreamStatus', 'getLivestreamsStatus', 'getLivestreamEvents'],
    requests: `
      are many watching; viewers by country; viewer count; number of viewers; concurrent viewers; audience size; audience statistics;
      who watched it; how popular is it; views today; peak viewership; watch time report; analytics; engagement metrics;
      demographics of the audience; which browsers do they watch with; what devices do viewers use; geographic distribution of the audience;
      ratings; traffic report; drop off rate; did anybody see it; how long do visitors stay; unique visitors; heat map of viewers
    `,
  },
  {
    about: 'notifications, webhooks and messages to people',
    nearest: ['getLivestreamEvents', 'getLivestreamsStatus', 'getDevicesLiveStatus'],
    requests: `
      webhook; register a callback url; notify me by email; send an email when it fails; alert me on my phone; sms alert; push notification;
      slack message; post to teams; pagerduty alert; ring me if it breaks; call me when the signal is gone; subscribe to events;
      reminder for the host; remind everybody in time; text me; whatsapp me; message the producer; mail the report to my boss;
      escalate to the engineer on duty; alarm sound when it goes black; ping me; let the speaker know five minutes ahead; wake me up; newsletter
    `,
  },
  {
    about: 'chat, comments and posts on social networks',
    nearest: ['getAllPublishings', 'getLivestreamById'],
    requests: `
      audience poll; chat room; delete a chat message; ban a troll from the chat; moderate comments; read the comments; reply to a comment;
      likes and shares; followers; emoji reactions; publish a post; tweet the link; share it on my wall; announce it on social media; hashtag;
      polls and quizzes; questions from the audience; vote; raise hands; let viewers ask; social feed on screen; story on instagram; influencers
    `,
  },
  {
    about: 'money: prices, invoices, tickets, subscriptions',
    nearest: ['getSystemLicenses'],
    requests: `
      refund; invoice; what does it cost; how expensive is it; pricing; billing; pay the bill; credit card; payment method; donation button;
      tip jar; pay per view; paywall; sell access; ticket sales; subscription fee; subscribers pay; coupon code; revenue of the ads;
      budget for streaming; tax report; merchandise shop; sponsor contract payment; bandwidth bill; cost estimate
    `,
  },
  {
    about: 'the player, the website and who may watch',
    nearest: ['getAllPublishings', 'getPublishingById'],
    requests: `
      embed code; iframe for our homepage; html snippet for the website; player skin; colour of the player; autoplay; landing page; geo blocking;
      geofence; only for viewers in france; block a country; block an ip of a viewer; restrict to our intranet; password for the viewers; age gate;
      register viewers; domain whitelist for the player; purge the cdn cache; seo; qr code to the show; search engine; cookie banner;
      wordpress plugin; custom domain; countdown page
    `,
  },
  {
    about: 'cameras, lights and the studio floor',
    nearest: ['getAllChannels', 'getChannelById'],
    requests: `
      zoom in; teleprompter; zoom out of the stage; pan and tilt; tilt the camera up; move the camera; focus the lens; autofocus; white balance;
      exposure; iris; camera preset; follow the speaker with the camera; vision mixer cut; angle of the camera; tally light; studio lights;
      dim the lights; intercom; talk to the cameraman; prompter script; cue the presenter in his ear; drone take off; crane; stage manager
    `,
  },
  {
    about: 'mixing of sound',
    nearest: ['getChannelById', 'getAllEncodings'],
    requests: `
      background music; volume up; turn the sound down; louder; audio is too quiet fix it; gain; decibels; equalizer; mixer; mute the mic;
      microphone level; unmute the host; play a jingle; music bed; noise reduction; remove the echo; hum filter; audio delay; lip sync offset;
      compressor; sound effects; applause sound; voice over; ducking; dub the voice
    `,
  },
  {
    about: 'composing pictures: effects, graphics and several sources at once',
    nearest: ['getLivestreamById', 'listAssets', 'getAllChannels'],
    requests: `
      green screen; picture in picture; split screen; side by side; multiview; video wall; chroma key; virtual background; blur the background;
      pixelate a face; transition effect; wipe; crossfade; dissolve between scenes; scenes; colour grading; brightness and contrast; saturation;
      rotate the image; mirror the picture; slow motion replay; instant replay; 3d graphics; virtual reality; 360 degrees; weather map;
      live data graphics; scoreboard from the league; stock ticker feed; animated lower third; interpreter in the corner; stabilise the picture;
      upscale with ai
    `,
  },
  {
    about: 'guests and calls',
    nearest: ['getAllChannels'],
    requests: `
      video call; invite a guest; remote guest; video conference; zoom meeting; join the call; skype interview; green room; screen sharing;
      share my screen; capture my desktop; webinar registration; breakout room; phone in caller; whiteboard
    `,
  },
  {
    about: 'editing and publishing of videos afterwards',
    nearest: ['getRecordings', 'listAssets', 'getAllTargetFolders'],
    requests: `
      automatic highlights; let ai cut the best moments; montage; edit the video; timeline editor; chapter markers; chapters for the replay;
      intro and outro; merge two videos; convert a file; transcode an mp4; compress the movie; change the format of a tape; burn a dvd;
      publish the replay on youtube; post the recording on vimeo; video on demand catalogue; playlist of old shows; cover picture;
      poster frame design; face recognition; object detection; summarise the talk; tags and categories; copyright check; a b testing;
      recommendations
    `,
  },
  {
    about: 'translation and interpreting',
    nearest: ['getTranscriptionConfig', 'getTranscriptionTemplates'],
    requests: `
      sign language; translate; translation into french; german subtitles from the english ones; interpreter; simultaneous translation;
      audio description; spell check; live captions in chinese; dubbing; language detection
    `,
  },
  {
    about: 'care of machines and networks',
    nearest: ['getDevicesStatus', 'getDevicesLiveStatus', 'downloadSystemInfo'],
    requests: `
      reboot; firmware update; restore a backup; restart the machine; restart the server; power off the box; power cycle; update the driver;
      software update; install a patch; roll back the version; database backup; snapshot of the database; ip address settings; dhcp; dns record;
      vlan; firewall rule; port forwarding; vpn; ssh into it; tls certificate; format the disk; free disk space; temperature of the cpu; fan speed;
      ups battery; speed test; traceroute; docker container; kubernetes; cron job; run a shell command; root password; time server; ntp;
      buy a new machine; order hardware; spare part; warranty
    `,
  },
  {
    about: 'other ways to sign in',
    nearest: ['getAllUsers', 'getUserProfile'],
    requests: `
      two factor; 2fa; authenticator app; single sign on; sso; ldap; active directory; sign in with microsoft; google login; invite by email;
      invitation link; forgot my password mail; captcha; fingerprint; face id; password policy; guest access without account; yubikey;
      avatar picture of my profile
    `,
  },
  {
    about: 'how the page looks, apps and help',
    nearest: ['getUserProfile', 'downloadSystemInfo'],
    requests: `
      dark mode; support ticket; theme; bigger font; colours of the page; mobile app; keyboard shortcuts; user manual; tutorial; training course;
      customer service; contact the vendor; complain to the manufacturer; feature request; report a bug; phone number of support; opening hours;
      company logo in the menu; print the page; export to excel; pdf report; powerpoint
    `,
  },
  {
    about: 'anything but broadcasts',
    nearest: [],
    requests: `
      pizza; coffee for everybody; lunch; taxi; hotel room; flight; train tickets; weather; will it rain; joke; poem; recipe; news headlines;
      stock price; calculate; write an essay; play a game; horoscope; traffic jam; shopping list; homework; birthday present; doctor appointment;
      parking space; costume; makeup artist; catering; rent a van; script for the episode
    `,
  },
];

export const ABSENT_TOPICS: readonly AbsentTopic[] = TOPICS.map((topic) => ({
  ...topic,
  requests: splitQueries(topic.requests),
}));
