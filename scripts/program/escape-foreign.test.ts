import { runInThisContext } from 'node:vm'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { escapeForeign } from './escape-foreign.ts'

describe('escapeForeign', () => {
  it.each([
    ['a letter', '/é/', 'é'],
    ['letters in a row', '/^éèü$/', 'éèü'],
    ['a letter behind a backslash', '/^\\é$/', 'é'],
    ['a letter behind an escaped backslash', '/^\\\\é$/', '\\é'],
    ['a letter behind a backslash and an escaped one', '/^\\\\\\é$/', '\\é'],
    ['a class with a range', '/^[à-ü\\ö]+$/', 'éö'],
    ['a letter of two units', '/^[😀🎉]$/u', '🎉'],
    ['the name of a group', '/(?<é>x)/', 'x'],
    ['a space that is not ASCII', '/^\u00a0\u2028?$/'.replace('\u2028', '\\u2028'), '\u00a0'],
  ])('keeps the meaning of %s', (_name, literal, text) => {
    const code = `(${literal}).exec(${JSON.stringify(text)})?.[0]`
    const escaped = escapeForeign(code.replace(JSON.stringify(text), '"\\u0000"'))
    expect(escaped).toMatch(/^[\0-\x7f]*$/)
    expect(runInThisContext(code)).toBeDefined()
    expect(runInThisContext(escaped.replace('"\\u0000"', JSON.stringify(text)))).toBe(
      runInThisContext(code),
    )
  })

  it('leaves only tagged templates as the bundler writes them', async () => {
    const contents = [
      'globalThis.strings = "é" + `é`',
      'globalThis.raw = String.raw`\\é`',
      'globalThis.found = /\\é/.test("é")',
    ].join('\n')
    const built = await build({ stdin: { contents }, write: false, minify: true })
    const code = escapeForeign(built.outputFiles[0]?.text ?? '')
    expect(code.match(/[^\0-\x7f]/g)).toEqual(['é'])
    expect(runInThisContext(`${code};[strings, raw, found]`)).toEqual(['éé', '\\é', true])
  })

  it('returns other code as it is', () => {
    const code = 'const a = /\\u00e9/, b = "\\xe9"'
    expect(escapeForeign(code)).toBe(code)
  })
})
