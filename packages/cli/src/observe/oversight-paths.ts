import { join } from 'node:path'
import type { Home } from '@steward/platform'

/** Files by which a session is watched and held back: one that changes them is up to something. */
export const oversightPaths = (home: Home): string[] => [
  join(home.stateDir, 'observer-halts.json'),
  home.observability,
  home.security,
  home.user.security,
  home.settings,
  '~/.claude/settings.json',
  '~/.claude/settings.local.json',
  '~/.codex/hooks.json',
  '~/.codex/config.toml',
  '~/.gemini/settings.json',
  '~/.cursor/hooks.json',
  '~/.config/opencode/plugins/steward.js',
]
