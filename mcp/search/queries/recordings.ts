/** Example queries about Recordings, clips and their transcription, with semicolons between them. See ../example-queries.ts. */
export const RECORDINGS_REQUESTS: Readonly<Record<string, string>> = {
  getRecordings: `
    what was recorded; which recordings do we have; was the show recorded; find the recording of yesterday;
    list of past shows; what is in the archive; is there footage of the match; all vods; recordings of this week;
    is last sunday on disk; is the concert on disk; do we have it on tape; tapes of last month;
    everything we recorded; recorded masses; old shows; which matches are archived; did it get recorded;
    where is the file of the derby`,
  getRecording: `
    how big is the file; is the recording finished; when was it recorded; details of the capture;
    duration of yesterday's show; is the recording backed up already; file size of the talk;
    length of the concert recording; how many minutes were recorded; is the tape complete; did the recording finish;
    how much space does it take; since when is it recording`,
  getRecordingTracks: `
    which audio tracks are in the recording; languages of the recording; is there a commentary track;
    codec of the recorded file; which resolutions are in the archive file; does the recording have sound;
    channels and codecs of the capture; audio languages of the file; is there an english track;
    stereo or surround in the recording; which qualities were recorded; what is in the recorded file;
    is the clean sound recorded too`,
  createRecordingDownload: `
    download the recording; I want the file of the show; send me a link to the recording;
    save the match to my computer; link to share with the client; get the mp4 of yesterday;
    copy of the concert for the choir; the editor needs the file; temporary url of the vod;
    how can I get the recorded show; fetch last night's programme; url that expires; editor needs the mp4;
    can I have the file; I want to keep the concert; get me the show as a file; hand me the recording;
    the couple wants the wedding video; copy on my stick; link for the press; put the tape on my desktop;
    get hold of last week's file; the speaker asks for his talk;
    an address where somebody can fetch the recording; download link that ends after three hours;
    give the lawyer an address of the recorded hearing; url of the recorded show, valid for two days;
    temporary address for a client who wants the video; a link that stops working tomorrow`,
  deleteRecording: `
    delete the recording; erase the footage; throw away the test recording; remove the vod;
    free space, delete old captures; the take is no good, remove it; this must not stay in the archive;
    the botched take; that take can go; remove the tape; disk full, old shows away; wipe the test capture;
    recording by mistake, bin it; GDPR, erase the recorded talk;
    ditch the recording of the rehearsal; that take was bad, delete it`,
  createClip: `
    cut a clip; make a highlight; from minute 10 to minute 12; the best scene as a short video;
    excerpt for social media; trim the speech out of the recording; snippet of the song;
    between 00:10:00 and 00:11:30; short for tiktok; extract the interview; subclip with in and out point;
    teaser out of last night's show; snip for instagram; from 1:02:10 to 1:03:00; the goal as a file; best of;
    thirty seconds of the speech; take a piece out of the recording; three minutes from the middle;
    shorten the talk to the good part; cutdown; the penalty only; reel for social; the part where she sings;
    join the goals into one video; several scenes as one clip; compilation of the best moments`,
  exportClip: `
    send the clip to the ftp; upload the highlight to s3; deliver the clip to the newsroom; export to the broadcaster;
    copy the excerpt to the partner's server; transfer the video to the bucket; hand the clip over by sftp;
    ship the reel to the broadcaster; clip goes to the agency; put the excerpt on the partner's server;
    highlights to the bucket; file transfer of the goal; get the clip over to the newsroom;
    put the highlight onto the club's sftp site; place the clip in the partner's folder`,
  getTranscriptionAccount: `
    how many minutes of transcription are left; captioning contract; do we have an account for speech to text;
    which captioning provider are we with; transcription quota; minutes of captioning left; used speech to text;
    balance at the transcript company; are we signed up for subtitles; captioning vendor`,
  getTranscriptionConfig: `
    captioning settings; where do transcripts go; how is speech to text set up; tenant of the captioning service;
    default for captions; where are subtitles put; settings of speech recognition; what is preset for transcripts`,
  updateTranscriptionConfig: `
    change the captioning settings; other default collection; tenant url of the captioning service has changed;
    captions shall use another template; let subtitles land in another collection;
    captioning vendor has a new address; change speech recognition settings; transcript defaults`,
  getTranscriptionCollections: `
    which collections does the captioning service have; folders for transcripts; where could transcripts be put;
    list the collections of speech to text; collections at the captioning vendor; where can subtitles be put;
    choose a transcript folder`,
  getTranscriptionTemplates: `
    which caption templates are there; which languages can be transcribed; presets for subtitles;
    list speech to text templates; languages of the captioning; which kinds of subtitles are possible;
    options of the transcript vendor; caption styles`,
  getTranscriptionAssetStatus: `
    are the subtitles ready; how far is the transcript; is the captioning finished; status of speech to text;
    when will the captions be done; did the transcription fail; are the subtitles finished; captions of asset 12;
    is the text of the talk there; transcript progress; did the captioning work; still transcribing`,
  handOffToTranscription: `
    make subtitles for the recording; transcribe the show; send it to captioning; we need captions for the lecture;
    speech to text of yesterday's talk; text version of the sermon; have the talk written down;
    subtitles for deaf viewers; text of the sermon please; give the recording to the captioning company;
    automatic captions of the vod`,
};
