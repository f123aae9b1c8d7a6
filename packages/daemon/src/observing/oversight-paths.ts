import { ASSISTANTS } from '@steward/assistants'
import { HOSTS } from '@steward/contract'
import { type Home, haltsPath } from '@steward/platform'

/** Files that watch and restrict a session. A session that changes them evades oversight. */
export const oversightPaths = (home: Home): string[] => [
  haltsPath(home),
  home.observability,
  home.security,
  home.user.security,
  home.settings,
  ...HOSTS.flatMap((host) => ASSISTANTS[host].protectedFiles),
]
