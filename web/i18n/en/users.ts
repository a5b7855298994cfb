export const usersEn = {
  title: 'Users',
  tabs: { users: 'Users', groups: 'Groups' },
  users: { add: 'New User', empty: 'There is no User.' },
  groups: { add: 'New Group', empty: 'There is no group of Users yet.' },
  username: 'User name',
  person: 'Person',
  role: 'Role',
  roles: { 1: 'Administrator', 2: 'Operator' },
  roleText: {
    1: 'Administrator: may do everything, sees to Users, storage and the system.',
    2: 'Operator: runs broadcasts, and changes nothing about Users, storage or the system.',
  },
  state: 'Sign-in',
  active: 'allowed',
  disabled: 'disabled',
  noPassword: 'no password',
  disable: 'Disable',
  disableOf: (name: string) => `Disable ${name}`,
  disableTitle: (name: string) => `Disable ${name}?`,
  disabling: 'disabling …',
  enable: 'Enable',
  enableOf: (name: string) => `Enable ${name}`,
  sessionsEnd: (count: number) =>
    count === 0 ? 'No session is open.' : count === 1 ? '1 session ends at once.' : `${count} sessions end at once.`,
  tokensEnd: (count: number) =>
    count === 0
      ? 'There is no API token.'
      : count === 1
        ? '1 API token is refused from then on.'
        : `${count} API tokens are refused from then on.`,
  counting: 'counting its sessions …',
  reversible: 'Enable lets the User in again.',
  deleteText: (name: string) => `${name} is gone then, with all sessions and API tokens. This cannot be undone.`,
  openNow: 'Open now',
  sessions: (count: number) => (count === 1 ? '1 session' : `${count} sessions`),
  tokens: (count: number) => (count === 1 ? '1 API token' : `${count} API tokens`),
  mayIssue: 'May issue tokens',
  language: 'Language',
  passwords: 'Passwords so far',
  editProfile: 'Edit profile',
  editProfileOf: (name: string) => `Edit profile of ${name}`,
  members: 'Members',
  memberCount: (count: number) => (count === 1 ? '1 User' : `${count} Users`),
};
