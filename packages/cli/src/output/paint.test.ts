import { describe, expect, it } from 'vitest'
import { paintFor, wantsColour } from './paint.ts'

describe('paintFor', () => {
  it('writes escape codes only with colour', () => {
    expect(paintFor(true).red('a')).toBe('\u001b[31ma\u001b[39m')
    expect(paintFor(true).dim('a')).toBe('\u001b[2ma\u001b[22m')
    expect(paintFor(false).red('a')).toBe('a')
  })
})

describe('wantsColour', () => {
  it('is on for a terminal and off elsewhere', () => {
    expect(wantsColour(true, { TERM: 'xterm' })).toBe(true)
    expect(wantsColour(false, { TERM: 'xterm' })).toBe(false)
    expect(wantsColour(true, { TERM: 'dumb' })).toBe(false)
  })

  it('is off with NO_COLOR, unless that is empty', () => {
    expect(wantsColour(true, { NO_COLOR: '1' })).toBe(false)
    expect(wantsColour(true, { NO_COLOR: '' })).toBe(true)
  })

  it('follows FORCE_COLOR before everything else', () => {
    expect(wantsColour(false, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(true)
    expect(wantsColour(false, { FORCE_COLOR: '' })).toBe(true)
    expect(wantsColour(true, { FORCE_COLOR: '0' })).toBe(false)
    expect(wantsColour(true, { FORCE_COLOR: 'false' })).toBe(false)
  })
})
