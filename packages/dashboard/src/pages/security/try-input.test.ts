import { describe, expect, it } from 'vitest'
import { buildTry, readAccess, readKind } from './try-input.ts'

describe('requests to the guards', () => {
  const fields = { text: ' a ', effect: 'write' as const, cwd: ' /srv ' }

  it('keeps commands and prompts as they were pasted', () => {
    expect(buildTry({ ...fields, kind: 'command' })).toEqual({ input: ' a ', cwd: '/srv' })
    expect(buildTry({ ...fields, kind: 'prompt' })).toEqual({ prompt: ' a ' })
  })

  it('states the access to a path', () => {
    expect(buildTry({ ...fields, kind: 'path', cwd: '' })).toEqual({ path: 'a', effect: 'write' })
  })

  it('accepts any address', () => {
    expect(readKind('path')).toBe('path')
    expect(readKind('__proto__')).toBe('command')
    expect(readKind(null)).toBe('command')
    expect(['delete', 'constructor', null].map(readAccess)).toEqual(['delete', 'read', 'read'])
  })
})
