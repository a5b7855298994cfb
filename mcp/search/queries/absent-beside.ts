/** Topics that no operation serves, and for which there is a way beside MCP. See absent.ts. */
import type { TopicText } from './absent-topic.ts';

const METRICS =
  'mails about faults come by mail rules (getAllMailRules); GET /metrics is for Prometheus, and docs/alerts.yml has alerts to begin with: its Alertmanager sends messages, and calls webhooks';

export const TOPICS_BESIDE: readonly TopicText[] = [
  {
    about: 'chat, comments and questions of the audience',
    instead: 'the platform that shows the broadcast has them',
    nearest: ['getAllPublishings'],
    requests: `
      chat; live chat; chat room; delete a chat message; ban a troll from the chat; moderate comments; read the comments;
      reply to a comment; pin a comment; slow mode in the chat; turn the chat off;
      chat messages; likes; emoji reactions; poll; audience poll; polls and quizzes; quiz; questions from the audience; q and a; vote;
      raise hands; let viewers ask; social feed on screen; ban a user; block a troll; moderator for the chat; emojis; hearts;
      prayer requests from viewers; twitch chat; survey; feedback form; word cloud; what are people saying; nasty comment;
      delete that comment; somebody insults us in the comments; read the messages; viewers ask questions; answer the questions; greet the people in the chat; q&a; ask the audience; voting; raffle; contest; trivia; applause button;
      heckler; spam messages; reactions; moderate the discussion; pin my message; straw poll; viewer questions; message board;
      who commented; block a commenter; wave to viewers; guest book; live reactions;
      show the chat on screen; show comments on the picture; show a comment on screen; how many likes; how many likes did we get
    `,
  },
  {
    about: 'webhooks, calls and messages to people by other ways than mail',
    instead: METRICS,
    nearest: ['getAllEvents', 'getLivestreamsStatus', 'getDevicesStatus'],
    requests: `
      webhook; remind the speaker; remind the pastor before the service; remind the host ahead of the show; warn the crew by phone;
      report by mail every monday; page
      whoever is on duty; register a callback url; alert me on my phone; sms alert; push notification; notification when we are
      live; notify the team; slack message; post to teams; pagerduty alert; ring me if it breaks; call me when the
      signal is gone; subscribe to events; mqtt; http callback; discord alert; telegram message; opsgenie; reminder for the host;
      remind everybody in time; text me if it stops; whatsapp me; message the producer; mail the report to my boss; e-mail the link
      to the congregation; escalate to the engineer on duty; alarm sound when it goes black; ping me; let the speaker know five
      minutes ahead; wake me up; newsletter; remind the volunteers; tell me when it fails; let me know when it goes wrong; snmp
      trap; beep when the signal is lost; siren; subscribe me; page the technician; invite by mail;
      calendar invitation; alarm in the control room; tell the team that we begin; ping me on slack; call a url when the show starts; sms to
      the tech team; tell me on my phone; message me; let the crew know; send an alert; text the team; buzz me;
      e-mail the report; call my phone; announce to the team; push message; alarm when the picture is black; inform me; post to a
      webhook; ring the bell when we start; trigger zapier; text the sexton; text the pastor when it fails; ifttt; zap;
      signal message; teams message; notify zapier; tell the sexton; phone tree; automation calls our server; matrix message; send a text;
      text my boss; send me a text message; send the parents an invitation; send the crew an invitation;
    `,
  },
  {
    about: 'graphs and dashboards of measured values',
    instead: 'GET /metrics is for Prometheus, and docs/grafana/onair.json is a dashboard for Grafana',
    nearest: ['getLivestreamsStatus', 'getDevicesStatus'],
    requests: `
      graph of the bitrate; chart of the cpu over the last week; grafana dashboard; prometheus metrics; export metrics; datadog;
      time series of dropped frames; history of the load; zabbix; influxdb; plot the bitrate; statistics of the last month;
      monthly report; uptime percentage of the year; sla report; monitor with nagios; scrape endpoint; trend of the load; opentelemetry;
      availability report; chart of dropped frames; statistics; report for the board; monthly figures of outages;
      export the measurements; trend; kpi
    `,
  },
  {
    about: 'backups of this installation and moves of its data',
    instead:
      '`onair backup <file>` and `onair restore <file>` do it, `onair store move` goes to another database, `onair export` writes all as JSON (docs/upkeep.md)',
    nearest: ['getMembers', 'downloadSystemInfo'],
    requests: `
      restore a backup; database backup; snapshot of the database; backup of all settings; migrate to postgres; move the database; export the whole configuration; dump of the database;
      import the configuration from another server; clone this installation; disaster recovery copy; save all settings to a file;
      nightly backup; copy everything to a new server; factory reset; reset everything; roll back the settings;
      backup of the settings; save the configuration; export the settings; full backup; clone the server; restore from last night;
      back up the whole installation; restore yesterday's backup; back up your database
    `,
  },
  {
    about: 'updates and care of the program and of its machines',
    instead:
      'getSystemAlarms says what is wrong, and `onair doctor` on the machine itself; GET /metrics has disks and load, docs/upkeep.md the way of an update',
    nearest: ['getDevicesStatus', 'getDevicesLiveStatus', 'downloadSystemInfo'],
    requests: `
      reboot; reboot the encoder; firmware update; restart the machine; restart the server; power off the box; power cycle;
      update the driver; shut the computer down; turn the server off; is there a newer version; update the program; software update;
      install updates; install a patch; roll back the version; windows update; reinstall; uninstall;
      restart the service; hard reset; nvidia driver; install ffmpeg; apt upgrade; update windows; format the disk;
      temperature of the cpu; how hot is the machine; fan speed; ups battery; docker container; kubernetes; cron job;
      run a shell command; root password; ssh into it; remote desktop; defragment; virus scan; raid; smart values of the disk;
      memory of the server; kill the process; task manager; bios; add a hard disk; clean the registry; helm chart; systemd unit;
      log in to the machine by ssh; open a terminal; teamviewer; install the latest version; update it; reboot box 3; cpu temp;
      how warm is the encoder; restart the box; turn the machine off; clean the disk; delete temp files; remote in; install a driver;
      is an update available; upgrade; fans; power consumption; the machine hangs, restart it; switch the encoder pc off; wake on lan;
      set the clock of the machine; patch the operating system; os update; linux update; kernel; power-cycle; turn the pc off and on;
      restart everything; temperature; heat; disk check; server room; clean up temp files; upgrade windows;
      upgrade to the newest version
    `,
  },
  {
    about: 'addresses, ports and certificates of the server',
    instead:
      'the settings of the server have them (docs/settings.md): ONAIR_HOST, ONAIR_PORT, ONAIR_PUBLIC_URL, ONAIR_TLS_CERT, ONAIR_TRUSTED_PROXIES; they are read at its start',
    nearest: ['getMembers', 'downloadSystemInfo'],
    requests: `
      tls certificate; https for the server; renew the certificate; ssl certificate; change the port of the server; listen on port 443;
      public url of the server; custom domain; reverse proxy; nginx; host name of the server; domain name for our server;
      certificate has expired; http to https redirect; bind address; behind a proxy; ca certificate; own certificate;
      self-signed certificate; renew the ssl certificate; https; domain; certificate; port 443; own domain; server name;
      change the address of the server
    `,
  },
  {
    about: 'settings of the server',
    instead:
      'they are set at its start, as variables or in its settings file (docs/settings.md): ONAIR_TIMEZONE, ONAIR_LOG_LEVEL, ONAIR_RATE_LIMIT, ONAIR_EVENT_DAYS, ONAIR_AUDIT_DAYS, ONAIR_ARCHIVE, ONAIR_SOURCE_NETWORKS',
    nearest: ['downloadSystemInfo', 'getMembers'],
    requests: `
      how long are events kept; keep the audit log for ten years; debug log level; verbose logging; rate limit of the api;
      raise the rate limit; time zone of the server must be changed; change the server's time zone; log to syslog;
      send the audit to a siem; splunk; which networks sources may come from; allow private addresses; environment variables;
      settings file; default profile of the server; size limit of uploads; limit the number of assets; set the data folder;
      move the data folder; retention of the audit log; retention of events; log rotation; change the server time zone;
      how long is the log kept; more detailed logs; log level; trust this network; allow private networks as sources; keep events longer
    `,
  },
  {
    about: 'other ways to sign in',
    instead:
      'an identity provider by OpenID Connect is set up with ONAIR_OIDC_ISSUER and its neighbours (docs/server.md), with the second factor that it asks for `onair user password` sets a password at a terminal',
    nearest: ['getAllUsers', 'getUserProfile'],
    requests: `
      two factor; 2fa; authenticator app; single sign on; sso; ldap; active directory; sign in with microsoft; google login; okta;
      keycloak; saml; openid connect; azure ad; invitation link for a user; sign in with google; log in with facebook;
      forgot my password mail; captcha; face id; password policy; guest access without account; yubikey; passkey;
      avatar picture of my profile; magic link; one-time code by sms; password must be changed every 90 days; session timeout;
      biometric login; entra id; enable 2fa; mfa; one login for all; sign on with office; second factor;
      login by phone; badge; passwordless login; passwordless; sign in without a password; rfid; smart card; scan a qr code to sign in;
      password manager;
      log in with our google accounts
    `,
  },
  {
    about: 'how the page looks, apps and help',
    instead:
      'the page has its own menu for language and a light or dark look, and lists its keys with ?; the documents are in docs/',
    nearest: ['getUserProfile', 'downloadSystemInfo'],
    requests: `
      dark mode; theme; bigger font; colours of the page; mobile app; keyboard shortcuts; user manual; tutorial; training course;
      bigger buttons; light mode; high contrast; app for my phone; ipad app; how do I learn this; documentation; help page;
      customer service; contact the vendor; complain to the manufacturer; feature request; report a bug; phone number of support;
      opening hours; support ticket; support chat; hotline; who made this program; roadmap; company logo in the menu; print the page;
      export to excel; pdf report; powerpoint; csv export; download the list as a spreadsheet; widgets on the dashboard;
      rearrange the dashboard; zoom the page; screen reader; android app; apple watch; change the background colour of the page;
      night mode; larger text on this page; reorder the menu; hide the menu; my own dashboard; keyboard; wrong colours for colour blind;
      logo of our company on this page; app store; desktop app; printout; help; manual; how does this work; cheat sheet; training;
      video tutorial
    `,
  },
  {
    about: 'the player on other web pages',
    instead:
      'the page /watch of the server plays what it delivers, and the HLS or DASH address that start_livestream answers plays in any player of a website',
    nearest: ['getAllPublishings', 'getPublishingById'],
    requests: `
      embed code; iframe for our homepage; html snippet for the website; player skin; colour of the player; autoplay; landing page; embed the stream; wordpress plugin; qr code to the show; logo in the player; player controls; seo;
      search engine; cookie banner; countdown page; web page for the event; event page; roku app; apple tv app; chromecast; airplay;
      smart tv app; player with chapters; google search; branded player; widget for the website; custom player; mobile player sdk;
      squarespace; html code for our site; code for our website; show it on our homepage; put the stream on our web page; embed; player;
      blog; share button; landing; tv app; fire tv; player colours; player with our logo; put it on our church website;
      put the player on our website
    `,
  },
  {
    about: 'who may watch by place, age or password of viewers',
    instead:
      'a Destination with access "token" is watched with a link of createPlaybackLink alone; a proxy or CDN in front restricts by country or address',
    nearest: ['getAllPublishings', 'getPublishingById'],
    requests: `
      geo blocking; only people in italy may see it; people abroad must not see it; hide it from minors; not for people under eighteen;
      adults only; geofence; only for viewers in france; block a country; block an ip of a viewer; restrict to our intranet;
      password for the viewers; age gate; register viewers; domain whitelist for the player; hotlink protection; viewers outside europe;
      viewers have to sign in; age restriction; blackout for one region; viewer accounts;
      limit the number of viewers; kick a viewer; only our members by login; purge the cdn cache; vpn users; parental control;
      nobody from germany; registration form for viewers; waiting room; limit concurrent viewers; restrict to viewers in norway;
      block russia; only in our country; only for members with a password; viewers need a code; pin for viewers; login for viewers;
      kids should not see it; age check; only from the office network; country restriction; block somebody from watching;
      limit it to switzerland; only visible in austria; region lock; not in the usa; age limit;
      only subscribers may watch; show it in germany only;
      block viewers from abroad; viewers in one country
    `,
  },
  {
    about: 'who the viewers are, and figures of other platforms',
    instead:
      'getLivestreamAudience counts players of what a Device serves, and keeps nothing of a person; the platform or the CDN that delivers to others has its own figures',
    nearest: ['getLivestreamAudience', 'getLivestreamsStatus'],
    requests: `
      hits on the page; viewers by country; unique viewers; demographics of the audience; who follows us; followers; subscribers;
      geographic distribution of the audience; google analytics; nielsen; heat map of viewers; where do our viewers live; reach;
      traffic report; how long do visitors stay; unique visitors; list of viewers; are there viewers from abroad;
      names of the viewers; who exactly watched; who is watching by name; retention graph; drop off rate; average viewing time;
      engagement metrics; compare the audience of two shows; most watched show; which show had most viewers; number of clicks;
      who is viewing from canada; viewing from abroad; how many clicks; how many viewers from germany; visitor numbers of the web page;
      age of the viewers; how many views on youtube; facebook views; viewers on twitch; average watch time; audience retention graph;
      which country do our viewers come from; map of the viewers; ip addresses of viewers; did my mother watch; who watched it;
      do we get many visitors on the site
    `,
  },
];
