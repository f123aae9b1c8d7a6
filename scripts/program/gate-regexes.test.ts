import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { hideSecretForms } from '../../packages/platform/src/redaction/hide-secret-forms.ts'
import { SECRET_FORMS } from '../../packages/platform/src/redaction/testing/secret-forms.ts'
import {
  LOOK_ALIKES,
  SECRET_VARIANTS,
} from '../../packages/platform/src/redaction/testing/secret-variants.ts'
import { gateRegexes } from './gate-regexes.ts'

const root = join(import.meta.dirname, '../..')

/** Builds code as a script and runs it, with regular expressions gated as in the hook's bundle. */
const runGated = async (contents: string): Promise<{ code: string; value: unknown }> => {
  const built = await build({
    stdin: { contents: gateRegexes(contents), resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'built',
    plugins: [
      {
        name: 'gated',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\/redaction\/.*\.ts$/ }, async ({ path }) => ({
            contents: gateRegexes(await readFile(path, 'utf8')),
            loader: 'ts',
            resolveDir: dirname(path),
          }))
        },
      },
    ],
  })
  const code = built.outputFiles[0]?.text ?? ''
  return { code, value: runInNewContext(`${code};built.value`) }
}

describe('gateRegexes', () => {
  it('keeps what an expression finds, in every way to use it', async () => {
    const { value } = await runGated(`
      const GATED = /\\b(?:set|CONFIG) (\\w+)/gi
      const uses = (text: string) => [
        GATED.test(text), GATED.lastIndex, GATED.exec(text)?.index, GATED.lastIndex,
        [...text.matchAll(GATED)].map((hit) => hit[1]), text.replace(GATED, '-'), text.search(GATED),
      ]
      const PLAIN = new RegExp(GATED.source, 'gi')
      const plain = (text: string) => [
        PLAIN.test(text), PLAIN.lastIndex, PLAIN.exec(text)?.index, PLAIN.lastIndex,
        [...text.matchAll(PLAIN)].map((hit) => hit[1]), text.replace(PLAIN, '-'), text.search(PLAIN),
      ]
      const TEXTS = ['SET a set b set d', 'nothing', '', 'config c', 'sets', 'set x', 'nothing again']
      export const value = JSON.stringify([TEXTS.map(uses), TEXTS.map(plain)])
    `)
    const [gated, plain]: unknown[] = JSON.parse(String(value))
    expect(gated).toEqual(plain)
    expect(JSON.stringify(gated)).toContain('["d"]')
  })

  it('leaves an expression as it is inside of a function', () => {
    expect(gateRegexes('const find = () => /secret/')).toBe('const find = () => /secret/')
  })

  it.each([
    ['that looks behind', 'const FOUND = /(?<=a)secret/'],
    ['that remembers its place', 'const FOUND = /secret/y'],
    ['of letters beyond the basic plane', 'const FOUND = /secret/u'],
    ['without a string that it needs', 'const FOUND = /[a-z]+|secret/'],
    ['that needs a single letter', 'const FOUND = /a\\d/'],
  ])('puts no strings in front of an expression %s', (_name, code) => {
    const [before, regex] = code.split('= ')
    expect(gateRegexes(code)).toContain(`;${before}= gateRegex(() => ${regex})`)
  })

  it('masks the same secrets in the bundle as elsewhere', async () => {
    const texts = [...SECRET_FORMS, ...SECRET_VARIANTS].map(({ text }) => text)
    const all = [...texts, ...LOOK_ALIKES, ...texts.map((text) => JSON.stringify({ text }))]
    const { code, value } = await runGated(`
      import { hideSecretForms } from './packages/platform/src/redaction/hide-secret-forms.ts'
      export const value = JSON.stringify(${JSON.stringify(all)}.map(hideSecretForms))
    `)
    expect(code.match(/gateRegex\(/g)?.length).toBeGreaterThan(10)
    expect(JSON.parse(String(value))).toEqual(all.map(hideSecretForms))
  })
})
