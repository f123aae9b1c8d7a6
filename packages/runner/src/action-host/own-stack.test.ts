import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ownStack } from './own-stack.ts'

let root: string
let folder: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward stack '))
  folder = join(root, 'ACTIONS/A_THROW_IT')
  mkdirSync(folder, { recursive: true })
  mkdirSync(join(root, 'lib'))
})
afterEach(() => rmSync(root, { recursive: true }))

const urlOf = (path: string): string => pathToFileURL(join(root, path)).href
const own = (stack: string, file = join(folder, 'action.ts')) =>
  ownStack(stack, { name: 'A_THROW_IT', file })

it('keeps only frames of the action and of lib, with relative paths', () => {
  const stack = `TypeError: no such thing
with a second line
    at deep (${urlOf('lib/shared.ts')}:7:3)
    at parse (${urlOf('ACTIONS/A_THROW_IT/node_modules/yaml/index.js')}:1:1)
    at ${urlOf('ACTIONS/A_THROW_IT/parts/own.ts')}:2:11
    at async Object.execute (${urlOf('ACTIONS/A_THROW_IT/action.ts')}:4:7)
    at async Promise.all (index 0)
    at other (${urlOf('ACTIONS/A_THROW_ITS/action.ts')}:4:7)
    at async start (/opt/steward/action-host.mjs:9:9)
    at node:internal/process/task_queues:1:2`
  expect(own(stack)).toBe(`TypeError: no such thing
with a second line
    at deep (../../lib/shared.ts:7:3)
    at parts/own.ts:2:11
    at async Object.execute (action.ts:4:7)`)
})

it('shortens the file of a syntax error', () => {
  const stack = `${urlOf('ACTIONS/A_THROW_IT/action.ts')}:2\nexport const = 2\n\nSyntaxError: Unexpected token`
  expect(own(stack)).toBe('action.ts:2\nexport const = 2\n\nSyntaxError: Unexpected token')
})

it('recognises the files of a folder that is a link', () => {
  symlinkSync(folder, join(root, 'ACTIONS/A_LINKED'))
  const stack = `Error: x\n    at ${urlOf('ACTIONS/A_THROW_IT/action.ts')}:1:2`
  expect(own(stack, join(root, 'ACTIONS/A_LINKED/action.ts'))).toBe(
    'Error: x\n    at action.ts:1:2',
  )
})

it('shows the source of a bundled file', async () => {
  mkdirSync(join(root, 'source/A_THROW_IT'), { recursive: true })
  writeFileSync(
    join(root, 'source/A_THROW_IT/action.ts'),
    "type Unused = string\n\nexport const execute = () => {\n  throw new Error('here')\n}\n",
  )
  const outfile = join(folder, 'action.js')
  await build({
    entryPoints: [join(root, 'source/A_THROW_IT/action.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    sourcemap: 'external',
    logLevel: 'silent',
  })
  const { execute } = await import(/* @vite-ignore */ pathToFileURL(outfile).href)
  expect(() => execute()).toThrow(
    expect.toSatisfy((error: Error) => {
      expect(own(error.stack ?? '', outfile)).toBe('Error: here\n    at execute (action.ts:4:9)')
      return true
    }),
  )
})

it('is bounded', () => {
  const frames = Array(500).fill(`    at again (${urlOf('ACTIONS/A_THROW_IT/action.ts')}:1:1)`)
  expect(own(['RangeError: deep', ...frames].join('\n')).split('\n')).toHaveLength(21)
  expect(own(`Error: ${'x'.repeat(1e6)}`).length).toBe(4000)
})
