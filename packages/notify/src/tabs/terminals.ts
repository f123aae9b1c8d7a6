type Environment = Readonly<Record<string, string | undefined>>

export const TERMINALS = [
  'iterm2',
  'windows-terminal',
  'wezterm',
  'ghostty',
  'kitty',
  'other',
] as const
export type Terminal = (typeof TERMINALS)[number]

/** The outer terminal of a process, from its environment; also works inside tmux. */
export const detectTerminal = (env: Environment): Terminal => {
  if (env.WT_SESSION) return 'windows-terminal'
  if (env.ITERM_SESSION_ID || env.LC_TERMINAL === 'iTerm2') return 'iterm2'
  if (env.KITTY_WINDOW_ID || env.TERM === 'xterm-kitty') return 'kitty'
  if (env.GHOSTTY_RESOURCES_DIR || env.TERM === 'xterm-ghostty') return 'ghostty'
  if (env.WEZTERM_PANE) return 'wezterm'
  return BY_PROGRAM.get(env.TERM_PROGRAM ?? '') ?? 'other'
}

const BY_PROGRAM: ReadonlyMap<string, Terminal> = new Map([
  ['iTerm.app', 'iterm2'],
  ['WezTerm', 'wezterm'],
  ['ghostty', 'ghostty'],
])
