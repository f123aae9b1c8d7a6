import { cleanTitle } from './clean-title.ts'
import type { TabLook } from './phase-looks.ts'
import type { Terminal } from './terminals.ts'

const ESC = '\u001b'
const BEL = '\u0007'

const osc = (...parts: ReadonlyArray<string | number>): string => `${ESC}]${parts.join(';')}${BEL}`

/** OSC 0 sets both titles, 1 that of the tab (the icon's, once), 2 that of the window. */
const TITLES = { both: 0, tab: 1, window: 2 } as const

export const buildTitle = (title: string, which: keyof typeof TITLES = 'both'): string =>
  osc(TITLES[which], cleanTitle(title))

/** Title and colour of the tab, for a terminal that reads this from its own program. */
export const buildTabSequence = (terminal: Terminal, { title, background }: TabLook): string => {
  // Only iTerm2 tells the two apart in a way people see; everywhere else OSC 0 is both.
  const titles =
    terminal === 'iterm2'
      ? `${buildTitle(title, 'tab')}${buildTitle(title, 'window')}`
      : buildTitle(title)
  return `${titles}${buildTabColour(terminal, background)}`
}

/**
 * The colour of the tab where an escape sequence sets it; nothing elsewhere: WezTerm and Ghostty
 * have none, and kitty takes it by remote control.
 */
export const buildTabColour = (terminal: Terminal, background: string): string => {
  const [red, green, blue] = channelsOf(background)
  if (terminal === 'iterm2') {
    return [
      osc(6, 1, 'bg', 'red', 'brightness', red),
      osc(6, 1, 'bg', 'green', 'brightness', green),
      osc(6, 1, 'bg', 'blue', 'brightness', blue),
    ].join('')
  }
  if (terminal !== 'windows-terminal') return ''
  const spec = [red, green, blue].map((each) => each.toString(16).padStart(2, '0')).join('/')
  return osc(4, WINDOWS_TERMINAL_FRAME, `rgb:${spec}`)
}

/** The entry of its colour table that Windows Terminal paints tabs with. */
const WINDOWS_TERMINAL_FRAME = 264

/** What a host assistant emits for a hook as `terminalSequence`: it lets titles through, no colours. */
export const buildHostSequence = ({ title }: TabLook): string => buildTitle(title)

/** Hands a sequence through tmux to the terminal around it; tmux does so only for a pane in sight. */
export const wrapForTmux = (sequence: string): string =>
  sequence === '' ? '' : `${ESC}Ptmux;${sequence.replaceAll(ESC, `${ESC}${ESC}`)}${ESC}\\`

const channelsOf = (colour: string): [number, number, number] => {
  const value = Number.parseInt(colour.slice(1), 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}
