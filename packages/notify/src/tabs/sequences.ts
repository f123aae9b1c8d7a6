import { cleanTitle } from './clean-title.ts'
import type { TabLook } from './phase-looks.ts'
import type { Terminal } from './terminals.ts'

const ESC = '\u001b'
const BEL = '\u0007'

const osc = (...parts: ReadonlyArray<string | number>): string => `${ESC}]${parts.join(';')}${BEL}`

/** OSC 0 sets both titles, 1 the tab (formerly icon) title, 2 the window title. */
const TITLES = { both: 0, tab: 1, window: 2 } as const

export const buildTitle = (title: string, which: keyof typeof TITLES = 'both'): string =>
  osc(TITLES[which], cleanTitle(title))

/** Title and color of the tab, for a terminal that reads them from its program. */
export const buildTabSequence = (terminal: Terminal, { title, background }: TabLook): string => {
  // Only iTerm2 visibly distinguishes the two; elsewhere OSC 0 sets both.
  const titles =
    terminal === 'iterm2'
      ? `${buildTitle(title, 'tab')}${buildTitle(title, 'window')}`
      : buildTitle(title)
  return `${titles}${buildTabColour(terminal, background)}`
}

/**
 * The escape sequence for the tab color; undefined for WezTerm and Ghostty, which have none, and
 * for kitty, which uses remote control.
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

/** The color table entry that Windows Terminal uses for tabs. */
const WINDOWS_TERMINAL_FRAME = 264

/** The `terminalSequence` that a host assistant emits for a hook; only titles are allowed. */
export const buildHostSequence = ({ title }: TabLook): string => buildTitle(title)

/** Passes a sequence through tmux to the outer terminal; tmux only does so for visible panes. */
export const wrapForTmux = (sequence: string): string =>
  sequence === '' ? '' : `${ESC}Ptmux;${sequence.replaceAll(ESC, `${ESC}${ESC}`)}${ESC}\\`

const channelsOf = (colour: string): [number, number, number] => {
  const value = Number.parseInt(colour.slice(1), 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}
