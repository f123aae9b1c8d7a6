import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanTitle } from './clean-title.ts'
import { lookOfPhase } from './look-of-phase.ts'
import { buildHostSequence, buildTabSequence, buildTitle, wrapForTmux } from './sequences.ts'
import { detectTerminal, TERMINALS } from './terminals.ts'

const LOOK = { title: '🔨 Roof', background: '#78350F' }

describe('titles', () => {
  it('carry the icon of the phase and the name of the session', () => {
    expect(lookOfPhase('BUILD', 'Roof')).toEqual(LOOK)
    expect(lookOfPhase('OBSERVE', '  ')).toEqual({ title: '👁️ OBSERVE', background: '#0C2D48' })
  })

  it('cannot end the sequence they stand in', () => {
    expect(buildTitle('a\u001b]0;b\u0007c\u009c\r\nd\u202Ee')).toBe('\u001b]0;a ]0;b c de\u0007')
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const inner = buildTitle(text).slice('\u001b]0;'.length, -1)
        expect(inner).not.toMatch(/[\p{Cc}\u202E]/u)
        expect(inner.isWellFormed()).toBe(true)
      }),
    )
  })

  it('are short, and cut between characters', () => {
    const family = '👨‍👩‍👧‍👦'
    expect(cleanTitle(family.repeat(200))).toBe(`${family.repeat(79)}…`)
    expect(cleanTitle(family.repeat(80))).toBe(family.repeat(80))
  })
})

describe('buildTabSequence', () => {
  it('sets everything that each terminal has an escape sequence for', () => {
    expect(buildTabSequence('iterm2', LOOK)).toBe(
      '\u001b]1;🔨 Roof\u0007\u001b]2;🔨 Roof\u0007' +
        '\u001b]6;1;bg;red;brightness;120\u0007' +
        '\u001b]6;1;bg;green;brightness;53\u0007' +
        '\u001b]6;1;bg;blue;brightness;15\u0007',
    )
    expect(buildTabSequence('windows-terminal', LOOK)).toBe(
      '\u001b]0;🔨 Roof\u0007\u001b]4;264;rgb:78/35/0f\u0007',
    )
    for (const terminal of TERMINALS.slice(2)) {
      expect(buildTabSequence(terminal, LOOK)).toBe('\u001b]0;🔨 Roof\u0007')
    }
  })

  it('sends only a title to the host, which blocks everything else', () => {
    expect(buildHostSequence(LOOK)).toBe('\u001b]0;🔨 Roof\u0007')
  })

  it('goes through tmux with every escape doubled', () => {
    expect(wrapForTmux('\u001b]0;a\u0007')).toBe('\u001bPtmux;\u001b\u001b]0;a\u0007\u001b\\')
    expect(wrapForTmux('')).toBe('')
  })
})

describe('detectTerminal', () => {
  it.each([
    [{ TERM_PROGRAM: 'iTerm.app' }, 'iterm2'],
    [{ TERM_PROGRAM: 'tmux', LC_TERMINAL: 'iTerm2' }, 'iterm2'],
    [{ WT_SESSION: 'x' }, 'windows-terminal'],
    [{ TERM_PROGRAM: 'WezTerm' }, 'wezterm'],
    [{ TERM: 'xterm-ghostty' }, 'ghostty'],
    [{ KITTY_WINDOW_ID: '3' }, 'kitty'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'constructor' }, 'other'],
    [{}, 'other'],
  ])('%j is %s', (env, expected) => {
    expect(detectTerminal(env)).toBe(expected)
  })
})
