import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEnv, readEnvFile } from './env-file.ts'
import { createEnvironment } from './environment.ts'

describe('parseEnv', () => {
  it('reads names and values as people write them', () => {
    const text = [
      '\uFEFF# a comment',
      'PLAIN=one two # three',
      'export EXPORTED = yes',
      'SINGLE=\'a # b \\n "c"\' # note',
      'DOUBLE="line\\nnext \\"q\\" \\\\ \\$HOME"',
      'MANY="first',
      '  second"',
      'EMPTY=',
      'EMPTY_TOO= # nothing',
      'HASH=abc#def',
      'EQUALS=a=b==',
      'TWICE=1',
      'TWICE=2',
      '',
    ].join('\r\n')
    expect(parseEnv(text, '.env')).toEqual({
      ok: true,
      value: {
        PLAIN: 'one two',
        EXPORTED: 'yes',
        SINGLE: 'a # b \\n "c"',
        DOUBLE: 'line\nnext "q" \\ $HOME',
        MANY: 'first\n  second',
        EMPTY: '',
        EMPTY_TOO: '',
        HASH: 'abc#def',
        EQUALS: 'a=b==',
        TWICE: '2',
      },
    })
  })

  it('reports every malformed line without repeating it', () => {
    const result = parseEnv('OK=1\nsk-secret-value\n1BAD=hidden-value\nOPEN="abc', '/h/.env')
    if (result.ok) throw new Error('expected mistakes')
    expect(result.error.message).toBe(
      '/h/.env: line 2: expected NAME=value, and there is no =; ' +
        'line 3: the name before = must be letters, digits and _, and must not start with a digit; ' +
        'line 4: OPEN: the quote " is not closed',
    )
    expect(JSON.stringify(result.error)).not.toMatch(/sk-secret|hidden-value/)
  })

  it('round-trips any value in double quotes, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const body = value.replace(/\r\n|\r/g, '\n')
        const quoted = body.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
        expect(parseEnv(`NAME="${quoted}"`, '.env')).toEqual({ ok: true, value: { NAME: body } })
      }),
    )
    fc.assert(fc.property(fc.string(), (text) => void parseEnv(text, '.env')))
  })
})

describe('readEnvFile', () => {
  it('treats a missing file as empty, and reports an unreadable one', async () => {
    expect(await readEnvFile('/nowhere/.env')).toEqual({ ok: true, value: {} })
    expect(await readEnvFile('/')).toMatchObject({
      ok: false,
      error: { code: 'invalid_definition' },
    })
  })
})

describe('createEnvironment', () => {
  it('the process environment takes precedence, even with an empty value', () => {
    const environment = createEnvironment(
      { A: 'process', EMPTY: '', GONE: undefined },
      { A: 'file', B: 'file', EMPTY: 'file', GONE: 'file' },
    )
    expect({ ...environment }).toEqual({ A: 'process', B: 'file', EMPTY: '', GONE: 'file' })
  })

  it('has no inherited names', () => {
    expect(createEnvironment({}, {}).constructor).toBeUndefined()
  })
})
