/** Exit codes of the command (docs/cli.md). 130 and 143 follow the shell: 128 plus the signal's number. */
export const EXIT = {
  success: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  notConfigured: 5,
  partial: 6,
  interrupted: 130,
  terminated: 143,
} as const
