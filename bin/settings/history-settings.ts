/** The settings of audit entries and events: how long they are kept, and where they go. They are rows of bin/settings/settings.ts. */
import { z } from 'zod/v3';
import { parseBucketAddress } from '../../domain/network/bucket-address.ts';
import { syslogIssue } from '../audit/syslog-address.ts';

export const BUCKET_FORM =
  's3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1; prefix, endpoint and region may be left out; path_style=false names the bucket in the host of an endpoint, path_style=true in the path without one';

export const bucketField = z.string().superRefine((text, issues) => {
  try {
    parseBucketAddress(text);
  } catch (error) {
    const message = error instanceof RangeError ? error.message : BUCKET_FORM;
    issues.addIssue({ code: 'custom', message });
  }
});

export const HISTORY_SETTINGS = {
  auditFile: {
    variable: 'ONAIR_AUDIT_FILE',
    schema: z.string().min(1),
    takes: 'the path of a file',
    initial: { words: 'none' },
    meaning:
      'A file that each audit entry is added to as it comes, as a JSON line. When it was moved away, a new one is begun ([upkeep](upkeep.md)).',
  },
  auditSyslog: {
    variable: 'ONAIR_AUDIT_SYSLOG',
    schema: z.string().superRefine((text, issues) => {
      const message = syslogIssue(text);
      if (message !== undefined) issues.addIssue({ code: 'custom', message });
    }),
    takes: 'the path of a socket such as `/dev/log`, or `udp://host:port`',
    initial: { words: 'none' },
    meaning: 'The syslog that each audit entry is sent to as it comes (RFC 5424, facility 13).',
  },
  auditDays: {
    variable: 'ONAIR_AUDIT_DAYS',
    schema: z.coerce.number().int().min(1).max(36_500),
    initial: { value: 365 },
    meaning:
      'Days that an audit entry is kept, and up to a twelfth longer; of more than a million the newest are kept ([decision](decisions/history.md)).',
  },
  eventDays: {
    variable: 'ONAIR_EVENT_DAYS',
    schema: z.coerce.number().int().min(1).max(36_500),
    initial: { value: 90 },
    meaning: 'Days that an event of a Live stream is kept, in the same way.',
  },
  archive: {
    variable: 'ONAIR_ARCHIVE',
    schema: bucketField,
    takes: BUCKET_FORM,
    initial: { words: 'none: what is over by its age is dropped' },
    meaning:
      'Where audit entries and events are kept after that: a bucket that each day is written into once it is over ([how](upkeep.md#an-archive-of-history)). The keys are taken from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, as those of `ONAIR_MEDIA` are. Servers that share a store have the same value.',
  },
} as const;
