import { describe, expect, it } from 'vitest'
import { describeProfile } from './sandbox-exec.ts'

const profile = (network: boolean, workDir = '/private/tmp/work') =>
  describeProfile({ workDir, readable: ['/Users/ada/.local/bin'], network }).split('\n')

describe('describeProfile', () => {
  it('denies everything first', () => {
    expect(profile(false).slice(0, 2)).toEqual(['(version 1)', '(deny default)'])
  })

  it('allows writing in the working folder alone', () => {
    const writing = profile(true).filter((rule) => rule.includes('file-write*'))
    expect(writing).toEqual(['(allow file-read* file-write* (subpath "/private/tmp/work"))'])
  })

  it('shows only the parts of the home that the command needs', () => {
    const reading = profile(false).filter((rule) => rule.includes('/Users'))
    expect(reading).toHaveLength(1)
    expect(reading[0]).toContain('(subpath "/Users/ada/.local/bin")')
    expect(reading[0]).not.toContain('(subpath "/Users")')
    expect(reading[0]).not.toContain('file-write')
  })

  it('has a network only when asked for', () => {
    expect(profile(false).join()).not.toContain('network')
    expect(profile(true).join()).toContain('(allow network-outbound')
  })

  it('quotes every name safely', () => {
    const rules = profile(false, '/tmp/a"b\\c) (allow default')
    expect(rules.at(-1)).toBe(
      '(allow file-read* file-write* (subpath "/tmp/a\\"b\\\\c) (allow default"))',
    )
  })

  it('closes every parenthesis', () => {
    for (const rule of profile(true)) {
      expect(rule.split('(').length).toBe(rule.split(')').length)
    }
  })
})
