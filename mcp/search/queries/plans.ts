/** Example queries about Schedules and planned actions, with semicolons between them. See ../example-queries.ts. */
export const PLANS_REQUESTS: Readonly<Record<string, string>> = {
  addSchedule: `
    every sunday at ten; stream the service each week; go live tomorrow at eight; book the show for friday evening;
    plan the match on saturday from three to five; the meeting is on tuesday 19:00 to 21:00, stream it;
    it should start by itself at nine; automatic start every morning; put the concert in the calendar;
    daily show from monday to friday at seven; each working day at noon; on the 5th of may from 10 to 12;
    set a recording time like a vcr; broadcast next thursday at half past six; weekend mornings at nine;
    reserve the slot for the council; run the news every day; run it each day from nine to five;
    saturday 18:00 to 19:15; vigil at ten in the evening; from monday on every morning; next sunday at eleven;
    put us on air on friday at eight; it shall be live on 3 june at 20:00; on weekends at noon;
    I want the lecture streamed on wednesdays; sat and sun from two to four; program the timer for the mass;
    on air from 7 to 8 pm; start and stop by itself`,
  getAllSchedules: `
    which bookings do we have; list of regular shows; all recurring broadcasts; our timetable; what is programmed;
    show the planner; which weekly shows exist; our regular shows; what runs every week; standing bookings;
    fixed slots; the weekly plan; which automatic starts exist`,
  getScheduleOccurrences: `
    what comes next; what do we broadcast this week; programme for tomorrow; which shows are coming up;
    everything that goes on air between monday and wednesday; agenda for next month; when is the next broadcast;
    are we live at any time on sunday; anything on air on christmas eve; running order of the day;
    is the evening free; anything live on boxing day; what's next; do we have something on friday;
    all shows in december; which masses are there this week; when are we on again; how full is saturday;
    next week please; what's on at eight; what did we miss while the server was down; today's line-up`,
  getScheduleById: `
    when does the show start and end; at what time does the series run; until when is the show booked;
    what are the days of the weekly show; details of the booking; how often does the show repeat;
    in which time zone is the booking; how long is the booking; when exactly is the vigil; which weekdays does it run;
    start time of the weekly show; is the series paused; end of the booking`,
  updateSchedule: `
    the show starts later; begin an hour earlier; move the broadcast to nine; pause the series;
    suspend the weekly show; resume the series after the break; the show lasts longer now;
    extend by thirty minutes, they run over; change the weekly show to thursdays; put the series on hold;
    we start at eight instead of seven; shift the booking; finish earlier than planned;
    make the show daily instead of weekly; stop the automatic broadcasts for the holidays; ten minutes longer;
    the news starts earlier; freeze the series until we say; no automatic starts in august, then again;
    thaw the series; half an hour more for the match; it moves from tuesday to wednesday; begin at quarter past;
    new time for the mass; overrun, extend; let the weekly show rest; series active again; time zone is wrong;
    kick-off was moved`,
  deleteSchedule: `
    cancel the whole series; delete the recurring show; the show is off for good;
    throw the series out of the calendar; none of these broadcasts will happen;
    take the weekly show out of the plan altogether; the repeat is gone completely; whole series away;
    the booking is cancelled; never stream that again on fridays; take it off the timetable; remove the weekly;
    the automatic start is not wanted any more; call off a schedule; call the whole schedule off`,
  skipOccurrence: `
    not this week; skip the next one; no show on friday; cancel only tomorrow's broadcast;
    this sunday is cancelled but the others stay; leave one date out; we do not broadcast on easter monday;
    holiday, so no broadcast that day; drop the show of the 24th; no service next week;
    only this once it does not happen; there is no lesson on wednesday; bank holiday, no show; not on christmas day;
    monday is off; they do not play this week; just this time not; the 12th falls out; leave next tuesday out;
    this time without us; one week pause; the wednesday edition is dropped once; only the one on the 3rd;
    cancel just one date of the series; cancel only the 6 january date; take one date out of the weekly show`,
  restoreSkip: `
    it happens after all; the cancelled date takes place again; undo the cancellation;
    we do broadcast on friday after all; the skipped show should run; reinstate the date we left out;
    I cancelled the wrong week; skipped by mistake; the 12th is on again; reinstate the date; they do play after all;
    it was wrong to cancel it, bring it back; the holiday show is on; undo leaving it out; the game is on again`,
  listScheduleSkips: `
    what days have been left out; when does the series not run; list of cancelled shows; which weeks did we skip;
    exceptions of the weekly show; what has been called off; on which days will it not happen; dates that fall out;
    holidays in the series; which shows were dropped; days off; did someone cancel a date`,
  patchScheduleUntil: `
    the last show is in june; the series ends on friday; end of the season; no more shows after summer;
    stop repeating from december; the course runs until march; final episode on the 20th;
    the weekly show is over after next month; let it run out; set the end date of the series; season finale in may;
    after easter no more; only until the end of the month; last time on the 30th; series is limited to june;
    course finishes; let the series end; from autumn on no longer`,
  addLivestreamAction: `
    at nine show the logo; remove the watermark at half past; switch the camera at eight automatically;
    black at midnight; show the text at ten o'clock; in twenty minutes go to the slate;
    after an hour turn off youtube; plan an ad break at quarter to; set a timer to switch; queue a cue;
    schedule action on the channel; do it by itself at 21:00; prepare a command for later;
    automate the start of the break; text at ten past eight; camera change at half time by the clock; at 21:00 black;
    ads at ten; turn on the backup at six automatically; remind yourself to take the slate off at nine;
    five minutes before the end show the text; later on switch; do that at noon for me; on the hour show the clock;
    logo away in an hour; stop it at midnight for us; start recording at kick-off time; stop recording at ten by itself;
    change the options of the stream at noon; crop it at half past by the clock; ten minutes into every show the logo;
    at each occurrence of the series show the text; at every weekly service the caption;
    an action that goes with the schedule and moves with it`,
  getLivestreamActions: `
    which cues are planned for the match; timers of this stream; run sheet of the event;
    what will happen automatically during the broadcast; cue list of the concert;
    which commands are waiting for this event; automatic steps of the show; rundown of the concert;
    what is prepared for this event; planned cues here; what will be switched during the derby`,
  getAllPlannedActions: `
    all timers; what happens automatically today; which cues are pending on any stream;
    which automatic commands failed; commands for the next hours; all cues of all shows;
    what will the system do by itself; did all timed commands run; which things happen by themselves;
    rundown of everything automatic; what is queued in total; what fires next; which cues went wrong;
    automatic things in the coming hours; did the cues work today`,
  getPlannedAction: `
    what does this timer do; details of the cue; did the cue run; when will the command be carried out;
    look at one planned command; why did the timed command fail; what will cue 4 do; tell me about the timer;
    is the cue armed; content of the cue; which command is number 9; at which shows was this action done`,
  updatePlannedAction: `
    move the timer; the cue should come ten minutes later; change the time of the automatic switch;
    earlier please, the timed logo; postpone the planned break; the timed text should say something else;
    correct the time of the command; five minutes later for the automatic change; cue at nine instead of eight;
    timed switch to another camera than planned; delay the cue; bring the cue forward;
    other text in the timed caption; move the automatic logo`,
  deletePlannedAction: `
    cancel the timer; forget the cue; remove the timed command; we do not need that cue; delete the automatic switch;
    scratch it from the run sheet; no timed caption at all; forget the automatic switch; cue 4 is out;
    we skip the timed ad for good; drop it from the rundown; the automatic step is not wanted;
    take the cue off the list`,
  disablePlannedAction: `
    do not run the cue for now, keep it; pause the timed command; disarm the cue; put the automatic switch on hold;
    leave the timer there but inactive; keep the cue but do not fire; park the timer; cue on hold;
    wait with the automatic switch; block the cue for the moment; cue inactive;
    do not run that action; leave the timer in but do not do it`,
  enablePlannedAction: `
    arm the timer again; the cue may run now; unpause the timed command; reactivate the cue;
    the held command should run after all; set the timer live again; paused timer may fire again; release the cue;
    cue on again; let the parked timer run; automatic switch is wanted again; un-hold the cue`,
};
